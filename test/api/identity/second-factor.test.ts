// Codes that work once, whoever races for them. Each racer has its own half-finished sign-in.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LoginTries } from "../../../src/domain/identity/login-try.ts";
import { PasswordHasher } from "../../../src/domain/identity/password-hash.ts";
import { SecondFactors } from "../../../src/domain/identity/second-factor.ts";
import { StepUp } from "../../../src/domain/identity/step-up.ts";
import { totpCode, totpStep } from "../../../src/domain/identity/totp.ts";
import type { MailMessage, TransactionalMailer } from "../../../src/domain/mail/mail.ts";
import type { AccountCaller } from "../../../src/kit/rpc/context.ts";
import { createSealer } from "../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import { findAccount } from "../../../src/store/identity/account.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { createMovedClock, type MovedClock } from "../../harness/moved-clock.ts";
import { fromBase32 } from "../../harness/vector/account-step.ts";
import { createPerson, everybodysPassword } from "../../harness/vector/person.ts";
import { adminCaller } from "../../harness/vector/world.ts";

describe("codes of a second factor", () => {
  let urls: TestDatabase;
  let clock: MovedClock;
  let databases: Database[];
  let caller: AccountCaller;
  let key: Buffer;
  let recoveryCodes: string[];
  let sent: MailMessage[];
  let address: string;
  const mailer: TransactionalMailer = { sendWithin: async (_tx, message) => void sent.push(message) };
  const sealer = createSealer({ masterKeys: [{ id: "k", key: randomBytes(32) }] });

  const factorsOf = (database: Database) => {
    const tries = new LoginTries(database, clock);
    const stepUp = new StepUp(database, { clock, hasher: new PasswordHasher(), tries });
    return new SecondFactors(database, { sealer, tries, stepUp, mailer });
  };
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
    sent = [];
    const { account_id: accountId, session_id: sessionId, email } = await createPerson(database);
    address = email;
    const { credential, audit } = adminCaller(accountId);
    caller = { credential, audit, accountId, sessionId };
    const factors = factorsOf(database);
    key = fromBase32((await factors.enrol(caller)).secret);
    recoveryCodes = await factors.confirm(caller, { code: totpCode(key, totpStep(clock.now())) });
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

  test("the owner of the account is told that it has a second factor, and that it has none any more", async () => {
    const [database] = databases;
    if (database === undefined) return;
    expect(sent).toMatchObject([{ to: address, subject: "A second factor was added to your account" }]);
    await expect(factorsOf(database).disable(caller, "000000")).rejects.toThrow("this code is wrong");
    expect(sent).toHaveLength(1);
    await factorsOf(database).disable(caller, recoveryCodes[0] ?? "");
    expect(sent[1]).toMatchObject({ to: address, subject: "Your second factor was removed" });
    expect(sent[1]?.text).toContain("removed with one of its codes");
  });

  test("renewed recovery codes end the former ones, whoever races, and the owner is told", async () => {
    const [database] = databases;
    if (database === undefined) return;
    const [proof = "", former = ""] = recoveryCodes;
    const factors = factorsOf(database);
    await expect(factors.renewRecoveryCodes(caller, "000000")).rejects.toThrow("this code is wrong");
    expect(sent).toHaveLength(1);
    const answers = await Promise.allSettled(
      databases.map((each) => factorsOf(each).renewRecoveryCodes(caller, proof)),
    );
    const renewed = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    expect(new Set(renewed).size).toBe(10);
    expect(sent.slice(1)).toMatchObject([{ to: address, subject: "Your recovery codes were renewed" }]);
    expect(await take(database, former)).toBe(false);
    expect(await take(database, renewed[0] ?? "")).toBe(true);
    expect(await take(database, renewed[0] ?? "")).toBe(false);
  });

  test("a session is young for ten minutes after its sign-in; then the password is asked for at each step", async () => {
    const [database] = databases;
    if (database === undefined) return;
    const factors = factorsOf(database);
    await factors.disable(caller, recoveryCodes[0] ?? "");
    clock.pass(10 * 60_000);
    await factors.enrol(caller);
    clock.pass(1);
    await expect(factors.enrol(caller)).rejects.toThrow("at most ten minutes ago");
    const secret = fromBase32((await factors.enrol(caller, { password: everybodysPassword })).secret);
    const code = totpCode(secret, totpStep(clock.now()));
    await expect(factors.confirm(caller, { code })).rejects.toThrow("at most ten minutes ago");
    await expect(factors.confirm(caller, { code, password: "a wrong one" })).rejects.toThrow("the password is wrong");
    expect(await factors.confirm(caller, { code, password: everybodysPassword })).toHaveLength(10);
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
