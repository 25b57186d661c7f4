import { afterAll, beforeAll, expect, test } from "vitest";
import { PasswordHasher } from "../../../src/domain/password-hash.ts";
import { PasswordRecovery } from "../../../src/domain/password-recovery.ts";
import { totpCode, totpStep } from "../../../src/domain/totp.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { callAccount, memberOf } from "../../api/auth/people.ts";
import { fromBase32 } from "../../harness/account-step.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/control-plane.ts";
import { createPerson } from "../../harness/person.ts";
import { createWorld } from "../../harness/world.ts";

const audit = { action: "account.password_set", requestId: "test", address: "" };
const password = "eleven brave magpies";

let plane: TestControlPlane;
let recovery: PasswordRecovery;

beforeAll(async () => {
  plane = await startTestControlPlane({});
  recovery = new PasswordRecovery(plane.database, systemClock, new PasswordHasher());
});

afterAll(() => plane.stop());

test("the operator's password lets a locked-out person in, ends older sessions, and is in the audit log", async () => {
  const { orgId } = await createWorld(plane.database);
  const person = await createPerson(plane.database, { orgId, role: "owner" });
  const logIn = (typed: string) => callAccount(plane, "Login", { email: person.email, password: typed });
  for (let n = 0; n < 5; n++) expect((await logIn("not anybody's password")).status).toBe(401);
  expect((await logIn(person.password)).status).toBe(423);
  await recovery.recover({ email: person.email.toUpperCase(), password, removeFactor: false }, audit);
  expect((await callAccount(plane, "GetMe", {}, { token: person.access_token })).status).toBe(401);
  expect((await logIn(person.password)).status).toBe(401);
  const tokens = memberOf(await logIn(password), "tokens");
  expect((await callAccount(plane, "GetMe", {}, { token: tokens.access_token })).status).toBe(200);
  expect((await plane.recorded(orgId)).actions).toContain("account.password_set");
});

test("a second factor stays, unless the operator removes it", async () => {
  const person = await createPerson(plane.database);
  const { secret = "" } = (await callAccount(plane, "EnrolMfa", {}, { token: person.access_token })).body as Record<
    string,
    string
  >;
  const code = totpCode(fromBase32(secret), totpStep(new Date()));
  expect((await callAccount(plane, "ConfirmMfa", { code }, { token: person.access_token })).status).toBe(200);
  const logIn = async () => (await callAccount(plane, "Login", { email: person.email, password })).body;
  await recovery.recover({ email: person.email, password, removeFactor: false }, audit);
  expect(await logIn()).toMatchObject({ mfa_required: true });
  await recovery.recover({ email: person.email, password, removeFactor: true }, audit);
  expect(await logIn()).toMatchObject({ mfa_required: false });
});

test("an unknown address and a common password are refused with their reasons", async () => {
  const person = await createPerson(plane.database);
  const unknown = { email: "nobody@example.com", password, removeFactor: false };
  await expect(recovery.recover(unknown, audit)).rejects.toThrow("no account has the address nobody@example.com");
  const common = { email: person.email, password: "password1234", removeFactor: false };
  await expect(recovery.recover(common, audit)).rejects.toThrow(/password/);
  expect((await callAccount(plane, "Login", { email: person.email, password: person.password })).status).toBe(200);
});
