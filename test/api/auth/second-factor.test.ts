// Codes that work once, whoever races for them. Each racer has its own half-finished sign-in.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LoginTries } from "../../../src/domain/login-try.ts";
import { SecondFactors } from "../../../src/domain/second-factor.ts";
import { totpCode, totpStep } from "../../../src/domain/totp.ts";
import type { AccountCaller } from "../../../src/kit/context.ts";
import { createSealer } from "../../../src/kit/seal.ts";
import { findAccount } from "../../../src/store/account.ts";
import { type Database, openDatabase } from "../../../src/store/database.ts";
import { fromBase32 } from "../../harness/account-step.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { createMovedClock, type MovedClock } from "../../harness/moved-clock.ts";
import { createPerson } from "../../harness/person.ts";
import { adminCaller } from "../../harness/world.ts";

describe("codes of a second factor", () => {
  let urls: TestDatabase;
  let clock: MovedClock;
  let databases: Database[];
  let caller: AccountCaller;
  let key: Buffer;
  let recoveryCodes: string[];
  const sealer = createSealer({ masterKeys: [{ id: "k", key: randomBytes(32) }] });

  const factorsOf = (database: Database) =>
    new SecondFactors(database, { sealer, tries: new LoginTries(database, clock) });
  const take = (database: Database, code: string) =>
    database.accountTransaction(caller.accountId, async (tx) => {
      const account = await findAccount(tx);
      return account !== null && (await factorsOf(database).take(tx, account, code));
    });
  const race = (code: string) =>
    Promise.all(Array.from({ length: 50 }, () => databases.map((database) => take(database, code))).flat());

  beforeAll(async () => {
    urls = await createTestDatabase();
    clock = createMovedClock();
    const open = () => openDatabase({ url: urls.applicationUrl, poolSize: 8, clock });
    databases = [await open(), await open()];
  });

  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await urls.drop();
  });

  beforeEach(async () => {
    const [database] = databases;
    if (database === undefined) throw new Error("there are two");
    const { account_id: accountId, session_id: sessionId } = await createPerson(database);
    const { credential, audit } = adminCaller(accountId);
    caller = { credential, audit, accountId, sessionId };
    const factors = factorsOf(database);
    key = fromBase32((await factors.enrol(caller)).secret);
    recoveryCodes = await factors.confirm(caller, totpCode(key, totpStep(clock.now())));
  });

  test("of a hundred uses of one code of the app at once one succeeds", async () => {
    clock.pass(30_000);
    const answers = await race(totpCode(key, totpStep(clock.now())));
    expect(answers).toHaveLength(100);
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  test("of a hundred uses of one recovery code at once one succeeds", async () => {
    expect((await race(recoveryCodes[3] ?? "")).filter(Boolean)).toHaveLength(1);
  });

  test("ten recovery codes of 80 bits, each good once, however they are typed", async () => {
    const [database] = databases;
    if (database === undefined) return;
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    const [first = "", second = "", third = ""] = recoveryCodes;
    expect(await take(database, first.toLowerCase())).toBe(true);
    expect(await take(database, second.replaceAll("-", " "))).toBe(true);
    expect(await take(database, third.replaceAll("-", ""))).toBe(true);
    for (const code of [first, second, third, "", "AAAA-BBBB-CCCC-DDDD"])
      expect(await take(database, code)).toBe(false);
  });

  test("no code of an earlier step is taken after a later one", async () => {
    const [database] = databases;
    if (database === undefined) return;
    clock.pass(60_000);
    const step = totpStep(clock.now());
    expect(await take(database, totpCode(key, step + 1))).toBe(true);
    expect(await take(database, totpCode(key, step))).toBe(false);
    expect(await take(database, totpCode(key, step + 1))).toBe(false);
    clock.pass(60_000);
    expect(await take(database, totpCode(key, totpStep(clock.now())))).toBe(true);
  });
});
