import { afterAll, beforeAll, expect, test } from "vitest";
import { PasswordHasher } from "../../../../src/domain/identity/password-hash.ts";
import { PasswordRecovery } from "../../../../src/domain/identity/password-recovery.ts";
import { totpCode, totpStep } from "../../../../src/domain/identity/totp.ts";
import { callAccount, memberOf } from "../../../api/identity/people.ts";
import { startTestControlPlane, type TestControlPlane } from "../../../harness/process/control-plane.ts";
import { fromBase32 } from "../../../harness/vector/account-step.ts";
import { createPerson } from "../../../harness/vector/person.ts";
import { createWorld } from "../../../harness/vector/world.ts";

const audit = { action: "account.password_set", requestId: "test", address: "" };
const password = "eleven brave magpies";

let plane: TestControlPlane;
let recovery: PasswordRecovery;

beforeAll(async () => {
  plane = await startTestControlPlane({});
  recovery = new PasswordRecovery(plane.database, new PasswordHasher());
});

afterAll(() => plane.stop());

test("the operator's password lets a locked-out person in, ends older sessions, and is in the audit log", async () => {
  const { orgId } = await createWorld(plane.database);
  const person = await createPerson(plane.database, { orgId, role: "owner" });
  const logIn = (typed: string) => callAccount(plane, "Login", { email: person.email, password: typed });
  for (let n = 0; n < 5; n++) expect((await logIn("not anybody's password")).status).toBe(401);
  expect((await logIn(person.password)).status).toBe(423);
  await recovery.recover(
    { email: person.email.toUpperCase(), password, removeFactor: false, confirmAddress: false },
    audit,
  );
  expect((await callAccount(plane, "GetMe", {}, { token: person.access_token })).status).toBe(401);
  expect((await logIn(person.password)).status).toBe(401);
  const tokens = memberOf(await logIn(password), "tokens");
  expect((await callAccount(plane, "GetMe", {}, { token: tokens.access_token })).status).toBe(200);
  const { entries } = await plane.recorded(orgId);
  expect(entries.map(({ action }) => action)).toEqual(["account.password_set", "account.unlock", "account.sign_in"]);
  const { before = "", after = "" } = entries.find(({ action }) => action === "account.unlock")?.openings ?? {};
  expect(JSON.parse(before)).toEqual({ email: person.email, locked_until: expect.any(String) });
  expect(JSON.parse(after)).toEqual({ email: person.email, locked_until: null });
});

test("a second factor stays, unless the operator removes it", async () => {
  const { orgId } = await createWorld(plane.database);
  const person = await createPerson(plane.database, { orgId, role: "viewer" });
  const { secret = "" } = (await callAccount(plane, "EnrolMfa", {}, { token: person.access_token })).body as Record<
    string,
    string
  >;
  const code = totpCode(fromBase32(secret), totpStep(new Date()));
  expect((await callAccount(plane, "ConfirmMfa", { code }, { token: person.access_token })).status).toBe(200);
  const logIn = async () => (await callAccount(plane, "Login", { email: person.email, password })).body;
  await recovery.recover({ email: person.email, password, removeFactor: false, confirmAddress: false }, audit);
  expect(await logIn()).toMatchObject({ mfa_required: true });
  await recovery.recover({ email: person.email, password, removeFactor: true, confirmAddress: false }, audit);
  expect(await logIn()).toMatchObject({ mfa_required: false });
  const changes = (await plane.recorded(orgId)).entries.filter(({ action }) => /mfa/.test(action));
  expect(changes.map(({ action, openings }) => [action, openings.before, openings.after])).toEqual([
    ["account.mfa_enable", '{"mfa_enabled":false}', '{"mfa_enabled":true}'],
    ["account.mfa_disable", '{"mfa_enabled":true}', '{"mfa_enabled":false}'],
  ]);
});

test("an unknown address and a common password are refused with their reasons", async () => {
  const person = await createPerson(plane.database);
  const unknown = { email: "nobody@example.com", password, removeFactor: false, confirmAddress: false };
  await expect(recovery.recover(unknown, audit)).rejects.toThrow("no account has the address nobody@example.com");
  const common = { email: person.email, password: "password1234", removeFactor: false, confirmAddress: false };
  await expect(recovery.recover(common, audit)).rejects.toThrow(/password/);
  expect((await callAccount(plane, "Login", { email: person.email, password: person.password })).status).toBe(200);
});
