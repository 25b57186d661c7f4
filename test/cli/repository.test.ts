// The policy repository of examples/, as its pipeline treats it: checked, tested, pushed, published and promoted into a
// running system.

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import { createWorld } from "../harness/vector/world.ts";
import { newFolder, policyGuard, removeFolders } from "./run.ts";

afterAll(removeFolders);

const example = fileURLToPath(new URL("../../examples/policy-repository", import.meta.url));

// Each call is a process that compiles the engine.
vi.setConfig({ testTimeout: 60_000 });

let plane: TestControlPlane;
beforeAll(async () => {
  plane = await startTestControlPlane();
});
afterAll(() => plane.stop());

/** A copy of the repository, and the command in it as the pipeline's token. */
async function pipeline() {
  const own = await createWorld(plane.database);
  const cwd = newFolder();
  cpSync(example, cwd, { recursive: true });
  const env = { POLICY_GUARD_URL: plane.baseUrl, POLICY_GUARD_TOKEN: own.tokens.ci ?? "" };
  return { own, cwd, ci: (...args: string[]) => policyGuard([...args, "--json"], { cwd, env }) };
}

test("the repository is valid and its tests pass without a server, with reports", async () => {
  const cwd = newFolder();
  cpSync(example, cwd, { recursive: true });
  const valid = await policyGuard(["validate", "policies"], { cwd });
  expect(valid.code).toBe(0);
  const lines = valid.stdout.trimEnd().split("\n");
  expect(lines.pop()).toBe("3 files: valid");
  // What is worth knowing of a policy is no problem of it.
  expect(lines.filter((line) => !/^policies\/[a-z_-]+\.yaml: note: streams of /.test(line))).toEqual([]);
  const tested = await policyGuard(["test", "policies", "--junit", "junit.xml", "--sarif", "r.sarif", "--json"], {
    cwd,
  });
  expect(tested.code).toBe(0);
  const { tests, files } = JSON.parse(tested.stdout);
  expect(tests).toEqual({ passed: 10, failed: 0 });
  expect(files.map(({ file, policy }: { file: string; policy: string }) => [file, policy])).toContainEqual([
    "policies/support-bot_test.yaml",
    "support-bot",
  ]);
  expect(readFileSync(join(cwd, "junit.xml"), "utf8")).toContain('tests="10"');
  expect(JSON.parse(readFileSync(join(cwd, "r.sarif"), "utf8")).runs[0].results).toEqual([]);
});

test("the pipeline pushes, publishes and promotes, and a second run changes nothing", async () => {
  const { own, ci } = await pipeline();
  const pushed = await ci("policies", "push", "policies", "--project", "Assistant", "--message", "first");
  expect(pushed.code, `${pushed.stdout}${pushed.stderr}`).toBe(0);
  const changes = (text: string) =>
    JSON.parse(text).policies.map(({ name, change }: { name: string; change: string }) => [name, change]);
  expect(changes(pushed.stdout)).toEqual([
    ["coding-agent", "created"],
    ["support-bot", "created"],
  ]);
  const published = await ci("publish", "--project", "Assistant", "--env", "dev", "--activate");
  expect(published.code, `${published.stdout}${published.stderr}`).toBe(0);
  expect(JSON.parse(published.stdout)).toMatchObject({ version: 1, state: "active", tests: { failed: 0 } });
  const again = await ci("policies", "push", "policies", "--project", "Assistant");
  expect(changes(again.stdout).map(([, change]: string[]) => change)).toEqual(["unchanged", "unchanged"]);

  const promoted = await ci(
    "promote",
    "--project",
    own.projectId,
    "--from",
    "dev",
    "--to",
    "prod",
    "--expected-version",
    "0",
  );
  expect(JSON.parse(promoted.stdout)).toMatchObject({
    environment: "prod",
    version: 1,
    state: "active",
    content_digest: JSON.parse(published.stdout).content_digest,
  });
  const late = await ci(
    "promote",
    "--project",
    "Assistant",
    "--from",
    "dev",
    "--to",
    "prod",
    "--expected-version",
    "0",
  );
  expect(late.code).toBe(1);
  expect(JSON.parse(late.stdout).error.code).toBe("bundle_version_conflict");
  const waiting = await ci("promote", "--project", "Assistant", "--from", "dev", "--to", "prod", "--no-activate");
  expect(JSON.parse(waiting.stdout)).toMatchObject({ version: 2, state: "published" });
});

test("tests in files of their own reach the server, and comments survive a push, a read and a change", async () => {
  const { cwd, own, ci } = await pipeline();
  const push = async () => JSON.parse((await ci("policies", "push", "policies", "--project", "Assistant")).stdout);
  const [, pushed] = (await push()).policies;
  const get = async () => JSON.parse((await ci("policies", "get", "support-bot")).stdout);
  const first = await get();
  expect(first.document.tests.map(({ name }: { name: string }) => name)).toContain("an address is hidden");
  expect(first.source).toContain("# What the support assistant may hear and say.");
  expect(first.source).toContain("# attacks, in what customers write and in what articles say");
  const path = join(cwd, "policies/support-bot.yaml");
  writeFileSync(path, readFileSync(path, "utf8").replace("severity: low", "severity: medium # since spring"));
  expect((await push()).policies.map(({ change }: { change: string }) => change)).toEqual(["unchanged", "updated"]);
  const second = await get();
  expect(second.source).toContain("severity: medium # since spring");
  expect(second.source).toContain("# What the support assistant may hear and say.");

  // A test of the file that is red refuses the version, and so the publish.
  const red = second.source.replace("[EMAIL_1]", "[MAIL_1]");
  const answer = await fetch(`${plane.baseUrl}/v1/orgs/${own.orgId}/policies/${pushed.id}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${own.tokens.admin}`, "content-type": "application/json" },
    body: JSON.stringify({ document: red }),
  });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(await answer.json())).toContain("an address is hidden");
});

test("nothing is pushed when a test in a file of its own fails", async () => {
  const { cwd, ci } = await pipeline();
  const path = join(cwd, "policies/support-bot_test.yaml");
  writeFileSync(path, readFileSync(path, "utf8").replace("[EMAIL_1]", "[MAIL_1]"));
  const refused = await ci("policies", "push", "policies", "--project", "Assistant");
  expect(JSON.parse(refused.stdout).error).toMatchObject({ code: "policy_tests_failed" });
  expect(JSON.parse((await ci("policies", "list")).stdout)).toEqual({ policies: [] });
});

test("the workflow calls existing commands, with existing options", async () => {
  const workflow = parse(readFileSync(join(example, ".github/workflows/policies.yml"), "utf8"), { merge: true });
  const steps = Object.values<{ steps: { run?: string }[] }>(workflow.jobs).flatMap(({ steps: all }) => all);
  const calls = steps.flatMap(({ run }) => (run?.startsWith("$GUARD ") === true ? [run.slice("$GUARD ".length)] : []));
  expect(calls.length).toBe(5);
  for (const call of calls) {
    const words = call.split(" ");
    const name = words[0] === "policies" ? words.slice(0, 2) : words.slice(0, 1);
    const help = await policyGuard([...name, "--help"]);
    expect(help.code, call).toBe(0);
    for (const option of call.match(/--[a-z-]+/g) ?? []) expect(help.stdout, call).toContain(option);
  }
});

describe("files of tests", () => {
  const suite = (policy: string, tests: string) =>
    `apiVersion: policyguard/v1\nkind: PolicyTests\npolicy: ${policy}\ntests:\n${tests}`;
  const policy =
    "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\nrules:\n  - {id: r, stages: [input], detect: secrets, action: BLOCK}\n";

  test("report a missing policy and a wrong key at their own lines", async () => {
    const cwd = newFolder({
      "p.yaml": policy,
      "a_test.yaml": suite("q", "  - {name: n, text: hi, expect: {outcome: ALLOW}}\n"),
      "b_test.yaml": suite("p", "  - {name: n, text: hi, expect: {outcom: ALLOW}}\n"),
    });
    const { code, stdout } = await policyGuard(["validate", "."], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('a_test.yaml:3:9: error policy: there is no policy "q"');
    expect(stdout).toContain('b_test.yaml:5:34: error tests[0].expect.outcom: unknown key "outcom"');
  });

  test("find a policy that lies beside them, and fail at their own lines", async () => {
    const cwd = newFolder({
      "p.yaml": policy,
      "p_test.yaml": suite("p", "  - {name: wrong, text: hi, expect: {outcome: BLOCK}}\n"),
    });
    const { code, stdout } = await policyGuard(["test", "p_test.yaml", "--json"], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ tests: { passed: 0, failed: 1 }, files: [{ policy: "p" }] });
  });
});

describe("packs", () => {
  test("are listed, shown and turned into policies without a server", async () => {
    const cwd = newFolder();
    const listed = JSON.parse(
      (await policyGuard(["packs", "list", "--category", "privacy", "--json"], { cwd })).stdout,
    );
    expect(listed.packs.map(({ id }: { id: string }) => id)).toEqual(["pii-apac", "pii-eu", "pii-latam", "pii-us"]);
    const shown = await policyGuard(["packs", "show", "secrets@1", "--json"], { cwd });
    expect(JSON.parse(shown.stdout)).toMatchObject({ id: "secrets", values: { action: "BLOCK" }, versions: ["1.0.0"] });
    const made = await policyGuard(["packs", "show", "secrets", "--policy", "action=FLAG"], { cwd });
    const kept = newFolder({ "secrets.yaml": made.stdout });
    const tested = await policyGuard(["test", "secrets.yaml", "--json"], { cwd: kept });
    expect(JSON.parse(tested.stdout)).toMatchObject({ passed: true, tests: { failed: 0 } });
  });

  test.each([
    ["an unknown pack", ["packs", "show", "secret"], 1, 'there is no pack "secret"'],
    ["an unknown version", ["packs", "show", "secrets@7"], 1, 'pack "secrets" has no version 7'],
    ["a value that does not fit", ["packs", "show", "secrets", "action=LOUD"], 1, "parameters.action: expected one of"],
    ["a value without a name", ["packs", "show", "secrets", "FLAG"], 2, '"FLAG" is no parameter'],
    ["a mode that there is not", ["packs", "apply", "secrets", "--mode", "loud"], 2, "--mode takes one of"],
  ] as const)("say what is wrong with %s", async (_, args, code, text) => {
    const ended = await policyGuard(args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(text);
  });

  test("are applied to a running system after a dry run, and a second time change nothing", async () => {
    const { own, ci } = await pipeline();
    const apply = ["packs", "apply", "secrets@1", "action=FLAG", "--project", "Assistant", "--env", "dev"];
    const tried = await ci(...apply, "--dry-run");
    expect(JSON.parse(tried.stdout)).toMatchObject({ dry_run: true, change: "created", policy_id: null });
    expect(JSON.parse((await ci("policies", "list")).stdout)).toEqual({ policies: [] });
    const applied = JSON.parse((await ci(...apply)).stdout);
    expect(applied).toMatchObject({
      applied_to: { app_id: own.projectId, agent_id: "*", env: "dev" },
      ...{ change: "created", mode: "enforce", version: "1.0.0", policy_version: 1 },
      parameters: { action: "FLAG", passwords: true },
      created_rules: ["secrets.token", "secrets.password"],
    });
    const again = JSON.parse((await ci(...apply)).stdout);
    expect(again).toMatchObject({ change: "unchanged", policy_id: applied.policy_id, policy_version: 1, diff: [] });
    const hub = await fetch(`${plane.baseUrl}/v1/hub/packs/pii-eu`);
    expect(await hub.json()).toMatchObject({ name: "pii-eu", versions: ["2.0.0", "1.0.0"] });
  });
});
