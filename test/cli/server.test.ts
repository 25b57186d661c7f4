import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../src/kit/process/id.ts";
import { touchInstance, writeInstanceStatus } from "../../src/store/fleet/runtime-instance.ts";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import { startEvaluateStage } from "../harness/vector/evaluate-stage.ts";
import { createWorld, type World } from "../harness/vector/world.ts";
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
  expect((await ci("publish", ...place, "--expected-version", "1")).stdout).toContain(
    "published version 2 of dev: not active yet\n",
  );
  const lost = await ci("publish", ...place, "--expected-version", "1", "--json");
  expect(lost.code).toBe(1);
  expect(JSON.parse(lost.stdout).error).toMatchObject({
    code: "bundle_version_conflict",
    hint: expect.stringContaining("publish again"),
  });
  const overtaken = await ci("activate", ...place, "--version", "2", "--expected-activation-seq", "0");
  expect(overtaken).toMatchObject({ code: 1, stdout: "" });
  expect(overtaken.stderr).toContain("activation 1 is in force in dev: version 1, by gr_ci_");
  const seen = ["--expected-activation-seq", "1", "--message", "back to what worked"];
  const back = await ci("activate", ...place, "--version", "1", ...seen);
  expect(back.stdout).toBe("version 1 of dev is active, by activation 2\n");
  const history = await ci("activations", "list", ...place);
  expect(history.stdout).toMatch(
    /^2 of 2 activations of dev\n#2 {2}\S+Z {2}version 1 {2}in force {2}activate {2}gr_ci_\S+ {2}back to what worked\n#1 {2}\S+Z {2}version 1 {12}publish {3}gr_ci_\S+\n$/,
  );
  expect(JSON.parse((await ci("activations", "list", ...place, "--limit", "1", "--json")).stdout)).toMatchObject({
    total: 2,
    activations: [{ activation_seq: 2, cause: "activate", previous_version: 1, is_in_force: true }],
  });
  expect((await ci("policies", "list")).stdout).toMatch(
    /^shipped {2}v2 {2}1 rule {2}project \S+ {2}agent \* {2}env \* {2}\S+Z\n$/,
  );
  const found = await ci("policies", "list", "--query", "HIP", "--project", "Assistant", "--json");
  expect(JSON.parse(found.stdout)).toMatchObject({ policies: [{ name: "shipped", rule_count: 1 }] });
  for (const none of [
    ["--query", "_"],
    ["--project", "*"],
  ])
    expect(JSON.parse((await ci("policies", "list", ...none, "--json")).stdout)).toEqual({ policies: [] });

  const narrowed = await ci("policies", "push", "p.yaml", "--project", "Assistant", "--env", "dev");
  expect(narrowed).toMatchObject({ code: 0, stdout: "updated shipped, version 3\n" });
  expect(narrowed.stderr).toMatch(
    /^warning: shipped applied to the project \S+, every agent, every environment, and now to the project \S+, every agent, the environment dev only\n$/,
  );
  const widened = await ci("policies", "push", "p.yaml", "--project", "Assistant");
  expect(widened).toMatchObject({ code: 0, stdout: "updated shipped, version 4\n", stderr: "" });

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

describe("--wait", () => {
  /** A world with a published policy, and what a runtime of its environment dev says of itself. */
  async function fleet() {
    const own = await createWorld(plane.database);
    const admin = as("admin", newFolder({ "p.yaml": green }), own);
    await admin("policies", "push", "p.yaml", "--project", "Assistant");
    const says = (instanceId: string, bundleVersion: number, activationSeq: number, rejection = "") => {
      const key = { projectId: own.projectId, environment: "dev", instanceId };
      return plane.database.systemTransaction(own.orgId, async (tx) => {
        await touchInstance(tx, key, "1.0.0");
        await writeInstanceStatus(tx, key, {
          bundleVersion,
          activationSeq,
          rejection,
          spoolDepth: 0,
          ...{ witnessedSize: 0, witnessedEpoch: 0, isEvidenceForked: false },
          refusedBackends: [],
          labels: {},
          models: [],
        });
      });
    };
    return { admin, says, place: ["--project", "Assistant", "--env", "dev"] };
  }

  test("ends when every connected runtime enforces the activation", async () => {
    const { admin, says, place } = await fleet();
    const [first, second] = [newId(), newId()];
    await says(first, 1, 1);
    await says(second, 0, 0);
    const published = admin("publish", ...place, "--activate", "--wait");
    await says(second, 1, 1);
    expect(await published).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^published version 1 of dev: active\n.*\nenforced by 2 of 2 connected runtimes\n$/,
      ),
    });
  });

  test("ends at the time limit, with the runtimes that lag and code 1", async () => {
    const { admin, says, place } = await fleet();
    await admin("publish", ...place, "--activate");
    const [enforcing, lagging, refusing] = [newId(), newId(), newId()];
    await says(enforcing, 1, 2);
    await says(lagging, 0, 0);
    await says(refusing, 1, 1, "too_large: the bundle");
    const told = await admin("activate", ...place, "--version", "1", "--wait=1");
    expect(told.code).toBe(1);
    expect(told.stdout).toContain("enforced by 1 of 3 connected runtimes\n");
    expect(told.stdout).toContain(`  ${lagging}  no bundle  lags\n`);
    expect(told.stdout).toContain(`  ${refusing}  version 1  rejected the bundle: too_large: the bundle\n`);
    const json = await admin("publish", ...place, "--activate", "--wait=1", "--json");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      state: "active",
      runtimes: {
        ...{ connected: 3, enforcing: 0 },
        lagging: expect.arrayContaining([
          expect.objectContaining({ instance_id: refusing, state: "rejected", bundle_version: 1 }),
        ]),
      },
    });
  });

  test("ends at once where no runtime is connected", async () => {
    const { admin, place } = await fleet();
    await admin("publish", ...place);
    const promote = ["promote", "--project", "Assistant", "--from", "dev", "--version", "1", "--to", "staging"];
    const promoted = await admin(...promote, "--wait");
    expect(promoted.stdout).toContain("no runtime is connected to staging\n");
    expect(promoted.code).toBe(0);
  });

  test.each([
    [["activate", "--env", "dev", "--version", "1", "--wait=soon"], "--wait takes a whole number of at least 1"],
  ])("%j is called wrongly", async (args, hint) => {
    const { code, stderr } = await as("admin", newFolder())(...args, "--project", world.projectId);
    expect(stderr).toContain(hint);
    expect(code).toBe(2);
  });
});

test("an unknown environment or version is answered with the existing ones", async () => {
  const own = await createWorld(plane.database);
  const admin = as("admin", newFolder({ "p.yaml": green }), own);
  const project = ["--project", "Assistant"];
  const nothing = await admin("activate", ...project, "--env", "dev", "--version", "7");
  expect(nothing.stderr).toContain("dev has no version 7\nThere are none yet.\n");
  await admin("policies", "push", "p.yaml", ...project);
  for (let i = 0; i < 2; i++) await admin("publish", ...project, "--env", "dev");
  const [environment, target, version] = [
    await admin("publish", ...project, "--env", "produktion"),
    await admin("promote", ...project, "--from", "dev", "--to", "live", "--version", "1"),
    await admin("promote", ...project, "--from", "dev", "--to", "prod", "--version", "7"),
  ];
  const names = "There are: dev, staging, prod.";
  expect(environment.stderr).toContain(`the project has no environment "produktion"\n${names}`);
  expect(target.stderr).toContain(`the project has no environment "live"\n${names}`);
  expect(version.stderr).toContain("dev has no version 7\nNewest versions: 2, 1.\n");
  expect([nothing, environment, target, version].map(({ code }) => code)).toEqual([1, 1, 1, 1]);
});

test("nothing is sent when a test fails or a document is invalid", async () => {
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

describe("a refusal by the server exits with 1 and prints its code", () => {
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

test("the secret of `listen` in the environment is no error for the other commands", async () => {
  const env = {
    POLICY_GUARD_URL: plane.baseUrl,
    POLICY_GUARD_TOKEN: world.tokens.admin ?? "",
    POLICY_GUARD_WEBHOOK_SECRET: "whsec",
  };
  expect(await policyGuard(["policies", "list"], { env })).toMatchObject({ code: 0 });
});

test("no answer, or the answer of another kind of server, is 3", async () => {
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

  test("stores a valid token where only this user can read it, and prints it nowhere", async () => {
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

  test("names the kind of the credential in English", async () => {
    const done = await logIn(newFolder(), world.tokens.admin ?? "");
    expect(done.stdout).toContain(" with an admin credential; kept in ");
  });

  test("says that the address is that of a runtime", async () => {
    const stage = await startEvaluateStage();
    try {
      for (const token of [world.tokens.admin, world.tokens.runtime]) {
        const args = ["login", "--url", stage.url, "--token-stdin", "--json"];
        const { code, stdout } = await policyGuard(args, { cwd: newFolder(), stdin: token ?? "" });
        expect(JSON.parse(stdout).error).toMatchObject({
          code: "not_understood",
          message: expect.stringContaining(`${stage.url} is a runtime, and a control plane is needed`),
        });
        expect(code).toBe(3);
      }
    } finally {
      await stage.stop();
    }
  });

  test("finds the organization of a person who has one, and their role", async () => {
    const cwd = newFolder();
    const person = await world.person("editor");
    expect(await logIn(cwd, person.access_token)).toMatchObject({ code: 0 });
    const who = JSON.parse((await policyGuard(["whoami", "--json"], { cwd })).stdout);
    expect(who).toMatchObject({ credential: "member", org_id: world.orgId, role: "editor" });
  });

  test("accepts a runtime token, whose organization cannot be asked for", async () => {
    const cwd = newFolder();
    expect(await logIn(cwd, world.tokens.runtime ?? "")).toMatchObject({ code: 0 });
    const who = JSON.parse((await policyGuard(["whoami", "--json"], { cwd })).stdout);
    expect(who).toMatchObject({ credential: "runtime", org_id: null });
  });

  test("stores nothing when the token is revoked, mistyped, or of another organization", async () => {
    const cwd = newFolder();
    const ended = await Promise.all([
      logIn(cwd, world.tokens.revoked ?? "", "--org", world.orgId),
      logIn(cwd, world.tokens.admin?.slice(0, -1) ?? "", "--org", world.orgId),
      logIn(cwd, world.tokens.foreign ?? "", "--org", world.orgId),
    ]);
    expect(ended.map(({ code }) => code)).toEqual([1, 2, 1]);
    expect(() => statSync(kept(cwd))).toThrow();
  });

  test("learns the organization of a token from the server, and is deleted by logout", async () => {
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

  test("a stored token goes only to its own server, and to none when others may read it", async () => {
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

  test("a broken file is reported without quoting it", async () => {
    const cwd = newFolder();
    mkdirSync(dirname(kept(cwd)), { recursive: true });
    writeFileSync(kept(cwd), '{"token": "gr_ci_secret', { mode: 0o600 });
    const { code, stderr } = await policyGuard(["whoami"], { cwd });
    expect(stderr).toContain("Run `policy-guard login` again.");
    expect(stderr).not.toContain("secret");
    expect(code).toBe(2);
  });
});
