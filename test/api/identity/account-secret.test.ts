// Whoever has the log, or a dump of the database, has no credential.

import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { totpCode, totpStep } from "../../../src/domain/identity/totp.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { dumpOf } from "../../harness/dump.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { fromBase32 } from "../../harness/vector/account-step.ts";
import { callAccount } from "./people.ts";

const lines: string[] = [];
let urls: TestDatabase;
let plane: TestControlPlane;

beforeAll(async () => {
  urls = await createTestDatabase();
  const destination = { write: (line: string) => void lines.push(line) };
  plane = await startTestControlPlane({ urls, log: createLog({ name: "test", level: "trace", destination }) });
});

afterAll(async () => {
  await plane.stop();
  await urls.drop();
});

test("no password, token, code or secret of a person is in the log or in a dump of the database", async () => {
  const secrets = await liveALife();
  expect(secrets).toHaveLength(24);
  expect(lines.length).toBeGreaterThan(10);
  const database = await dumpOf(urls);
  expect(database).toContain("$argon2id$");
  const traces = new Map([
    ["the log", lines.join("")],
    ["the database", database],
  ]);
  for (const [place, text] of traces) {
    const found = secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)));
    expect(found, place).toEqual([]);
  }
});

/** Everything that a person does with credentials. Returns each that there was. */
async function liveALife(): Promise<string[]> {
  const [password, next, wrong] = ["seven quiet otters", "nine patient herons", "eleven wrong horses"];
  const email = `${newId()}@example.com`;
  const secrets = [password, next, wrong];
  const call = async (method: string, request: JsonObject, token?: string) => {
    const { body } = await callAccount(plane, method, request, { token });
    collect(body, secrets);
    return (typeof body === "object" ? body : {}) as Record<string, string> & { tokens: Record<string, string> };
  };
  await call("Register", { email, password, name: "Grace", organization_name: "Compilers" });
  await call("Register", { email, password, name: "Grace" });
  await call("Login", { email, password: wrong });
  const { tokens } = await call("Login", { email, password });
  const { access_token: token } = tokens;
  const { secret = "" } = await call("EnrolMfa", {}, token);
  await call("ConfirmMfa", { code: totpCode(fromBase32(secret), totpStep(new Date())) }, token);
  const { mfa_token = "" } = await call("Login", { email, password });
  const code = secrets.find((text) => /^(?:\w{4}-){3}\w{4}$/.test(text)) ?? "";
  const second = await call("CompleteLogin", { mfa_token, code });
  await call("CompleteLogin", { mfa_token, code });
  await call("RefreshSession", { refresh_token: second.tokens.refresh_token ?? "" });
  await call("RefreshSession", { refresh_token: second.tokens.refresh_token ?? "" });
  await call("ChangePassword", { current_password: wrong, new_password: next }, token);
  await call("ChangePassword", { current_password: password, new_password: next }, token);
  await call("GetMe", {}, second.tokens.access_token);
  return secrets;
}

const secretMembers = /^(?:access_token|refresh_token|mfa_token|secret|otpauth_uri)$/;

function collect(body: unknown, secrets: string[], name = ""): void {
  if (typeof body === "string" && (secretMembers.test(name) || name.startsWith("recovery_codes"))) secrets.push(body);
  if (typeof body !== "object" || body === null) return;
  for (const [key, value] of Object.entries(body)) collect(value, secrets, Array.isArray(body) ? name : key);
}

/** A secret as it would look in text, in a binary column, and encoded. */
function formsOf(secret: string): string[] {
  const bytes: Buffer[] = [Buffer.from(secret), Buffer.from(secret.replaceAll("-", ""))];
  if (/^[A-Z2-7]{32}$/.test(secret)) bytes.push(fromBase32(secret));
  return [secret, ...bytes.flatMap((each) => [each.toString("hex"), each.toString("base64").replace(/=+$/, "")])];
}
