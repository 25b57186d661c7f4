import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestControlPlane, type TestControlPlane } from "../harness/control-plane.ts";
import { createWorld, type World } from "../harness/world.ts";
import { attack, newFolder, policyGuard, policyText, removeFolders } from "./run.ts";

afterAll(removeFolders);

let plane: TestControlPlane;
let world: World;
beforeAll(async () => {
  plane = await startTestControlPlane();
  world = await createWorld(plane.database);
});
afterAll(() => plane.stop());

const green = policyText("shipped", {
  more: `tests:\n  - {name: it blocks, stage: input, text: "${attack}", expect: {outcome: BLOCK}} # a comment\n`,
});

/** Runs the command as somebody. */
function as(persona: keyof World["tokens"], cwd: string, in_: World = world) {
  const env = {
    POLICY_GUARD_URL: plane.baseUrl,
    POLICY_GUARD_TOKEN: in_.tokens[persona] ?? "",
    POLICY_GUARD_ORG: in_.orgId,
  };
  return (...args: string[]) => policyGuard(args, { cwd, env });
}

test("a policy goes from a file into force: push, push again, publish, activate an older version", async () => {
  const own = await createWorld(plane.database);
  const cwd = newFolder({ "p.yaml": green });
  const ci = as("ci", cwd, own);
  const pushed = await ci("policies", "push", "p.yaml", "--project", "Assistant", "--message", "first", "--json");
  expect(JSON.parse(pushed.stdout).policies).toEqual([
    expect.objectContaining({
      file: "p.yaml",
      change: "created",
      name: "shipped",
      version: 1,
      scope: { app_id: own.projectId, agent_id: "*", env: "*" },
    }),
  ]);
  expect((await ci("policies", "push", "p.yaml")).stdout).toBe("unchanged shipped, version 1\n");
  expect((await ci("policies", "get", "shipped")).stdout).toBe(green);
  const published = await ci("publish", "--project", own.projectId, "--env", "dev", "--activate", "--json");
  expect(JSON.parse(published.stdout)).toMatchObject({ environment: "dev", version: 1, state: "active" });

  writeFileSync(join(cwd, "p.yaml"), green.replace("a comment", "another comment"));
  expect((await ci("policies", "push", "p.yaml", "--expected-version", "1")).stdout).toBe(
    "updated shipped, version 2\n",
  );
  const stale = await ci("policies", "push", "p.yaml", "--expected-version", "1");
  expect(stale).toMatchObject({ code: 1, stdout: "" });
  expect(stale.stderr).toContain('policy "shipped" is at version 2, and version 1 was expected');

  const place = ["--project", "Assistant", "--env", "dev"];
  expect((await ci("publish", ...place, "--expected-version", "1")).stdout).toContain("published version 2 of dev");
  const lost = await ci("publish", ...place, "--expected-version", "1", "--json");
  expect(lost.code).toBe(1);
  expect(JSON.parse(lost.stdout).error).toMatchObject({
    code: "bundle_version_conflict",
    hint: expect.stringContaining("publish again"),
  });
  const back = await ci("activate", ...place, "--version", "1");
  expect(back.stdout).toBe("version 1 of dev is in force, by activation 2\n");
  expect((await ci("policies", "list")).stdout).toMatch(
    /^shipped {2}v2 {2}project \S+ {2}agent \* {2}env \* {2}\S+Z\n$/,
  );

  const runtime = as("runtime", cwd, own);
  const pulled = await runtime("bundle", "pull", "--out", "b.json", "--keys", "k.json", "--json");
  expect(JSON.parse(pulled.stdout)).toMatchObject({
    environment: "dev",
    version: 1,
    activation_seq: 2,
    file: "b.json",
  });
  const verified = await policyGuard(["bundle", "verify", "b.json", "--key", "k.json", "--json"], { cwd });
  expect(JSON.parse(verified.stdout)).toMatchObject({ verified: true, org_id: own.orgId, version: 1 });
});

test("nothing is sent when a test is red or a document is not valid", async () => {
  const own = await createWorld(plane.database);
  const cwd = newFolder({
    "good.yaml": green,
    "red.yaml": policyText("red", {
      more: "tests:\n  - {name: wrong, stage: input, text: Hi, expect: {outcome: BLOCK}}\n",
    }),
    "broken.yaml": "kind: Policy\n",
  });
  const admin = as("admin", cwd, own);
  const [red, broken] = await Promise.all([
    admin("policies", "push", "good.yaml", "red.yaml", "--json"),
    admin("policies", "push", "good.yaml", "broken.yaml", "--json"),
  ]);
  expect([red.code, broken.code]).toEqual([1, 1]);
  expect(JSON.parse(red.stdout).error.code).toBe("policy_tests_failed");
  expect(JSON.parse(broken.stdout).error.code).toBe("policy_invalid");
  expect(JSON.parse((await admin("policies", "list", "--json")).stdout)).toEqual({ policies: [] });
});

describe("what the server refuses is 1 and told with its code", () => {
  test.each([
    ["unknown", ["policies", "list"], "unauthenticated"],
    ["foreign", ["policies", "list"], "no_access_to_organization"],
    ["runtime", ["policies", "list"], "insufficient_scope"],
    ["admin", ["bundle", "pull"], "insufficient_scope"],
    ["admin", ["policies", "get", "nobody"], "not_found"],
    ["admin", ["publish", "--project", "Nowhere", "--env", "dev"], "not_found"],
  ] as const)("%s: %j is %s", async (persona, args, code) => {
    const { code: exit, stdout } = await as(persona, newFolder())(...args, "--json");
    expect(JSON.parse(stdout).error.code).toBe(code);
    expect(exit).toBe(1);
  });
});

test("no answer, or that of another server, is 3", async () => {
  const env = { POLICY_GUARD_TOKEN: world.tokens.admin ?? "", POLICY_GUARD_ORG: world.orgId };
  const [nobody, other] = await Promise.all([
    policyGuard(["policies", "list", "--json"], { env: { ...env, POLICY_GUARD_URL: "http://127.0.0.1:1" } }),
    policyGuard(["policies", "list", "--json"], { env: { ...env, POLICY_GUARD_URL: plane.managementUrl } }),
  ]);
  expect(JSON.parse(nobody.stdout).error).toMatchObject({ code: "unreachable", hint: expect.any(String) });
  expect(JSON.parse(other.stdout).error).toMatchObject({ code: "not_understood" });
  expect([nobody.code, other.code]).toEqual([3, 3]);
});

describe("login", () => {
  const kept = (folder: string) => join(folder, "config", "policy-guard", "credentials.json");
  const logIn = (cwd: string, token: string, ...more: string[]) =>
    policyGuard(["login", "--url", `${plane.baseUrl}/`, "--token-stdin", ...more], { cwd, stdin: `${token}\n` });

  test("keeps a token that is alive where only this user can read it, and prints it nowhere", async () => {
    const cwd = newFolder();
    const token = world.tokens.ci ?? "";
    const done = await logIn(cwd, token, "--org", world.orgId);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(kept(cwd)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(kept(cwd))).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(kept(cwd), "utf8"))).toEqual({ url: plane.baseUrl, token, org_id: world.orgId });
    const who = await policyGuard(["whoami", "--json"], { cwd });
    expect(JSON.parse(who.stdout)).toMatchObject({
      credential: "ci",
      org_id: world.orgId,
      role: null,
      methods: expect.arrayContaining(["BundleService/PublishBundle"]),
    });
    const human = await policyGuard(["whoami"], { cwd });
    for (const { stdout, stderr } of [done, who, human]) expect(stdout + stderr).not.toContain(token.slice(0, 20));
  });

  test("finds the organization of a person who has one, and their role", async () => {
    const cwd = newFolder();
    const person = await world.person("editor");
    expect(await logIn(cwd, person.access_token)).toMatchObject({ code: 0 });
    const who = JSON.parse((await policyGuard(["whoami", "--json"], { cwd })).stdout);
    expect(who).toMatchObject({ credential: "member", org_id: world.orgId, role: "editor" });
  });

  test("takes a runtime token, which has no organization to ask about", async () => {
    const cwd = newFolder();
    expect(await logIn(cwd, world.tokens.runtime ?? "")).toMatchObject({ code: 0 });
    const who = JSON.parse((await policyGuard(["whoami", "--json"], { cwd })).stdout);
    expect(who).toMatchObject({ credential: "runtime", org_id: null });
  });

  test("keeps nothing when the token is dead, mistyped, or not that of the organization", async () => {
    const cwd = newFolder();
    const ended = await Promise.all([
      logIn(cwd, world.tokens.revoked ?? "", "--org", world.orgId),
      logIn(cwd, world.tokens.admin?.slice(0, -1) ?? "", "--org", world.orgId),
      logIn(cwd, world.tokens.foreign ?? "", "--org", world.orgId),
    ]);
    expect(ended.map(({ code }) => code)).toEqual([1, 2, 1]);
    expect(() => statSync(kept(cwd))).toThrow();
  });

  test("learns the organization of a token from the server, and is forgotten by logout", async () => {
    const cwd = newFolder();
    const done = await logIn(cwd, world.tokens.ci ?? "", "--json");
    expect(JSON.parse(done.stdout)).toMatchObject({ credential: "ci", org_id: world.orgId });
    expect((await policyGuard(["policies", "list"], { cwd })).code).toBe(0);
    const out = await policyGuard(["logout", "--json"], { cwd });
    expect(JSON.parse(out.stdout)).toEqual({ file: kept(cwd), removed: true });
    expect(() => statSync(kept(cwd))).toThrow();
    expect(await policyGuard(["logout"], { cwd })).toMatchObject({ code: 0, stdout: "nobody was logged in\n" });
    expect((await policyGuard(["policies", "list"], { cwd })).code).toBe(2);
  });

  test("a kept token goes to the server that it was kept for only, and not when others may read it", async () => {
    const cwd = newFolder();
    await logIn(cwd, world.tokens.ci ?? "", "--org", world.orgId);
    const elsewhere = { POLICY_GUARD_URL: "http://127.0.0.1:1" };
    const [other, same] = await Promise.all([
      policyGuard(["whoami"], { cwd, env: elsewhere }),
      policyGuard(["whoami"], { cwd, env: { POLICY_GUARD_URL: plane.baseUrl } }),
    ]);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("set POLICY_GUARD_TOKEN") });
    expect(same.code).toBe(0);
    chmodSync(kept(cwd), 0o644);
    const open = await policyGuard(["whoami"], { cwd });
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining("chmod 600") });
  });

  test("a broken file is told without quoting it", async () => {
    const cwd = newFolder();
    mkdirSync(dirname(kept(cwd)), { recursive: true });
    writeFileSync(kept(cwd), '{"token": "gr_ci_secret', { mode: 0o600 });
    const { code, stderr } = await policyGuard(["whoami"], { cwd });
    expect(stderr).toContain("Run `policy-guard login` again.");
    expect(stderr).not.toContain("secret");
    expect(code).toBe(2);
  });
});
