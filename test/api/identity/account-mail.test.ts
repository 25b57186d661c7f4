// Registering and resetting with mail: nobody learns whether an address has an account.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Logins } from "../../../src/domain/identity/login.ts";
import { LoginTries } from "../../../src/domain/identity/login-try.ts";
import { Passwords } from "../../../src/domain/identity/password-change.ts";
import { PasswordHasher } from "../../../src/domain/identity/password-hash.ts";
import { Registrations } from "../../../src/domain/identity/registration.ts";
import { SecondFactors } from "../../../src/domain/identity/second-factor.ts";
import { Sessions } from "../../../src/domain/identity/session.ts";
import { StepUp } from "../../../src/domain/identity/step-up.ts";
import type { MailMessage, Post } from "../../../src/domain/mail/mail.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { createSealer } from "../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import { findAccount, lookUpAccount } from "../../../src/store/identity/account.ts";
import { lookUpMemberships } from "../../../src/store/identity/member.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { createMovedClock, type MovedClock } from "../../harness/moved-clock.ts";
import { createPerson, everybodysPassword } from "../../harness/vector/person.ts";

const origin = {
  address: "192.0.2.1",
  userAgent: "tests",
  audit: { action: "", requestId: "r", address: "192.0.2.1" },
};

describe("accounts with mail", () => {
  let urls: TestDatabase;
  let clock: MovedClock;
  let database: Database;
  let sent: MailMessage[];
  let domain: ReturnType<typeof createDomain>;

  beforeAll(async () => {
    urls = await createTestDatabase();
    clock = createMovedClock();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  beforeEach(() => {
    sent = [];
    domain = createDomain({
      mailer: { send: (message) => void sent.push(message) },
      publicUrl: "https://guard.example.com",
    });
  });

  function createDomain(post: Post) {
    const sealer = createSealer({ masterKeys: [{ id: "k", key: randomBytes(32) }] });
    const hasher = new PasswordHasher();
    const tries = new LoginTries(database, clock);
    const stepUp = new StepUp(database, { clock, hasher, tries });
    const factors = new SecondFactors(database, { sealer, tries, stepUp, mailer: undefined });
    return {
      registrations: new Registrations(database, clock, { hasher, post, isOpen: true, defaultPlan: "free" }),
      logins: new Logins(database, clock, { tries, hasher, factors }),
      passwords: new Passwords(database, clock, { hasher, tries, post }),
      sessions: new Sessions(database, clock),
    };
  }

  const register = (email: string) =>
    domain.registrations.register(
      { email, password: everybodysPassword, name: "Grace", organizationName: "Compilers" },
      origin,
    );
  const linkIn = (message: MailMessage | undefined) => /#token=(gr_lnk_\w+)$/m.exec(message?.text ?? "")?.[1] ?? "";

  test("an account begins with the link, and not before", async () => {
    const email = `${newId()}@example.com`;
    expect(await register(email)).toBeUndefined();
    expect(sent).toMatchObject([{ to: email, subject: "Confirm your Policy Guard account" }]);
    expect(await lookUpAccount(database, email)).toBeUndefined();
    const { account, orgId } = await domain.registrations.confirm(linkIn(sent[0]), origin);
    expect(account).toMatchObject({ email, emailVerifiedAt: clock.now() });
    expect(await lookUpMemberships(database, account.id)).toMatchObject([{ org_id: orgId, role: "owner" }]);
    await expect(domain.registrations.confirm(linkIn(sent[0]), origin)).rejects.toThrow(/used or expired/);
  });

  test("a known address gets the same answer, and a mail that says so to its owner alone", async () => {
    const { email } = await createPerson(database);
    expect(await register(email.toUpperCase())).toBeUndefined();
    expect(sent).toMatchObject([{ subject: "You already have a Policy Guard account" }]);
    expect(sent[0]?.text).not.toMatch(/token/);
  });

  test("of two links for one address the first that is opened counts", async () => {
    const email = `${newId()}@example.com`;
    await register(email);
    await register(email);
    const outcomes = await Promise.allSettled(sent.map((mail) => domain.registrations.confirm(linkIn(mail), origin)));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(outcomes.find((outcome) => outcome.status === "rejected")?.reason.message).toMatch(/used or expired/);
  });

  test("a reset is mailed to those who have an account, and its link sets the password once", async () => {
    const person = await createPerson(database);
    await domain.passwords.requestReset({ email: person.email });
    await domain.passwords.requestReset({ email: `${newId()}@example.com` });
    expect(sent.map(({ to }) => to)).toEqual([person.email]);
    const reset = { token: linkIn(sent[0]), next: "nine patient herons" };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => domain.passwords.reset(reset, origin.audit)),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await domain.logins.login({ email: person.email, password: reset.next }, origin);
    expect(await domain.sessions.authenticate(person.access_token)).toBeUndefined();
  });

  test("a reset shows that the address is its owner's", async () => {
    const { account_id: accountId, email } = await createPerson(database);
    const verifiedAt = async () => (await database.readAccount(accountId, findAccount))?.emailVerifiedAt;
    await database.accountTransaction(accountId, (tx) => tx.sql("update account set email_verified_at = null"));
    await domain.passwords.requestReset({ email });
    expect(await verifiedAt()).toBeNull();
    await domain.passwords.reset({ token: linkIn(sent[0]), next: "nine patient herons" }, origin.audit);
    expect(await verifiedAt()).toEqual(clock.now());
  });

  test("a reset lifts the lock: the link shows who it is", async () => {
    const { email } = await createPerson(database);
    const login = (password: string) => domain.logins.login({ email, password }, origin);
    for (let n = 0; n < 5; n++) await expect(login("wrong horse 42")).rejects.toThrow(/wrong/);
    await expect(login(everybodysPassword)).rejects.toThrow(/too many failed/);
    await domain.passwords.requestReset({ email });
    await domain.passwords.reset({ token: linkIn(sent[0]), next: "nine patient herons" }, origin.audit);
    await login("nine patient herons");
  });

  test("strangers cannot fill a mailbox: two mails a minute, five an hour", async () => {
    const { email } = await createPerson(database);
    for (let minute = 0; minute < 10; minute++) {
      for (let n = 0; n < 4; n++) await domain.passwords.requestReset({ email });
      if (minute === 0) expect(sent).toHaveLength(2);
      clock.pass(60_000);
    }
    expect(sent).toHaveLength(5);
    for (let n = 0; n < 3; n++) await register(email);
    expect(sent).toHaveLength(5);
  });
});
