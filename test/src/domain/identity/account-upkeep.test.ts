import { expect, test } from "vitest";
import { AccountUpkeep } from "../../../../src/domain/identity/account-upkeep.ts";
import { LoginTries } from "../../../../src/domain/identity/login-try.ts";
import { openSession, Sessions } from "../../../../src/domain/identity/session.ts";
import { newTicket, tokenDigest } from "../../../../src/kit/crypto/token.ts";
import { openDatabase } from "../../../../src/store/connection/database.ts";
import { countHit } from "../../../../src/store/identity/address-limit.ts";
import { addOneTimeToken } from "../../../../src/store/identity/one-time-token.ts";
import { createTestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { createPerson } from "../../../harness/vector/person.ts";

const hourMs = 3_600_000;
const origin = { address: "192.0.2.1", userAgent: "tests" };
const call = { action: "account.sign_in", requestId: "test", address: origin.address };

test("expired rows are deleted a day later, and no others", async () => {
  const urls = await createTestDatabase();
  const clock = createMovedClock();
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
  const worker = await openDatabase({ url: urls.workerUrl, poolSize: 2, clock });
  const upkeep = new AccountUpkeep(worker, clock);
  // Its own session lives for a year.
  const { account_id: accountId, refresh_token: refreshToken } = await createPerson(database);
  const count = async (table: string) =>
    (await database.accountTransaction(accountId, (tx) => tx.sql(`select from ${table}`))).length;
  const countAll = () => Promise.all(["session", "session_token", "one_time_token"].map(count));

  await database.accountTransaction(accountId, async (tx) => {
    await openSession(tx, "password", origin);
    addOneTimeToken(tx, "reset", { digest: tokenDigest(newTicket("link")), payload: {}, lifeMs: hourMs });
  });
  const wrong = () =>
    new LoginTries(database, clock).run("ada@example.com", call, async () => ({
      outcome: "wrong",
      value: "wrong",
    }));
  for (let n = 0; n < 5; n++) await wrong();
  const limits = { aMinute: 1, anHour: 1 };
  await countHit(database, "198.51.100.1", clock.now(), limits);

  expect([await upkeep.purge(), await countAll()]).toEqual([0, [2, 4, 1]]);
  await expect(wrong()).rejects.toThrow(/too many failed/);
  expect(await countHit(database, "198.51.100.1", clock.now(), limits)).toBeDefined();

  // The link and the access token of the second session.
  clock.pass(26 * hourMs);
  expect([await upkeep.purge(), await countAll()]).toEqual([1, [2, 3, 0]]);
  expect(await upkeep.purge()).toBe(0);

  clock.pass(15 * 24 * hourMs);
  expect([await upkeep.purge(), await countAll()]).toEqual([1, [1, 2, 0]]);
  const audit = { action: "", requestId: "r", address: "" };
  const refreshed = await new Sessions(database, clock).refresh(refreshToken, origin, audit);
  expect(refreshed.sessionId).toMatch(/^[0-9a-f-]{36}$/);

  await Promise.all([database.close(), worker.close()]);
  await urls.drop();
});
