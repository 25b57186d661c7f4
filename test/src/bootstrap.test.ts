import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileCacheVariables } from "../../scripts/compile-cache.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import { somewhere } from "../harness/vector/account-step.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "policy-guard-bootstrap-"));
const file = join(folder, "bootstrap.json");
let urls: TestDatabase;
let plane: TestControlPlane;

beforeAll(async () => {
  urls = await createTestDatabase();
  plane = await startTestControlPlane({ urls });
});

afterAll(async () => {
  await plane.stop();
  await urls.drop();
  rmSync(folder, { recursive: true });
});

async function firstStart(): Promise<Record<string, string>> {
  const env = {
    PATH: process.env.PATH,
    ...compileCacheVariables,
    DATABASE_URL: urls.applicationUrl,
    POLICY_GUARD_DATA: folder,
    POLICY_GUARD_MASTER_KEY: randomBytes(32).toString("base64"),
  };
  await run(process.execPath, ["src/bootstrap.ts"], { env, cwd: join(import.meta.dirname, "..", "..") });
  return JSON.parse(readFileSync(file, "utf8"));
}

async function logIn({ owner_email: email = "", owner_password: password = "" }: Record<string, string>) {
  const call = (method: string, request: Record<string, string>, token?: string) =>
    plane.caller.call("rest", { method: `AccountService/${method}`, request, token, headers: somewhere() });
  const { status, body } = await call("Login", { email, password });
  const { tokens } = body as { tokens?: { access_token: string } };
  if (tokens === undefined) return { status, organizations: [] };
  const me = (await call("GetMe", {}, tokens.access_token)).body as { organizations: unknown[] };
  return { status, organizations: me.organizations };
}

test("the first start makes an owner who can sign in, and a start that was interrupted before it wrote so does not stand in the way", async () => {
  const facts = await firstStart();
  expect(facts.owner_email).toBe("owner@example.com");
  expect(facts.owner_password).toMatch(/^[\w-]{20}$/);
  const organization = { org_id: facts.org_id, org_name: "Demo", role: "owner", second_factor_required: false };
  expect(await logIn(facts)).toEqual({ status: 200, organizations: [organization] });
  // Pages name the project in their commands.
  const request = { org_id: facts.org_id ?? "" };
  const projects = await plane.caller.call("rest", {
    method: "ProjectService/ListProjects",
    request,
    token: facts.admin_token,
    headers: somewhere(),
  });
  expect(projects.body).toMatchObject({ projects: [{ id: facts.project_id, name: "Assistant" }] });

  rmSync(file);
  const again = await firstStart();
  expect(again.org_id).not.toBe(facts.org_id);
  expect((await logIn(again)).organizations).toHaveLength(2);
  expect((await logIn(facts)).status).toBe(401);
});
