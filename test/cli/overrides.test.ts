import { afterAll, beforeAll, expect, test } from "vitest";
import { callsOf, policyOf, startGateWorld } from "../harness/gate-world.ts";
import type { World } from "../harness/vector/world.ts";
import { newFolder, policyGuard, removeFolders } from "./run.ts";

let scene: Awaited<ReturnType<typeof startGateWorld>>;
let world: World;
let folder: string;

beforeAll(async () => {
  scene = await startGateWorld();
  world = await scene.newWorld();
  const call = callsOf(scene.plane.baseUrl, world);
  folder = newFolder({});
  await call("POST", "org:/policies", { document: policyOf({ detect: "secrets" }) });
  await call("POST", "/bundles/publish", { activate: true });
});

afterAll(async () => {
  removeFolders();
  await scene.stop();
});

function run(...args: string[]) {
  const env = {
    POLICY_GUARD_URL: scene.plane.baseUrl,
    POLICY_GUARD_TOKEN: world.tokens.admin ?? "",
    POLICY_GUARD_ORG: world.orgId,
  };
  return policyGuard([...args, "--project", world.projectId, "--env", world.environment], { cwd: folder, env });
}

test("a rule is kept in shadow, listed and enforced again", async () => {
  expect((await run("overrides", "list")).stdout).toContain("has no override");
  const why = ["--reason", "blocks order numbers", "--hours", "2"];
  const set = await run("overrides", "set", "guard", "found", ...why);
  expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining("guard/found of") });
  expect(set.stdout).toContain("by activation 2");
  const { overrides } = JSON.parse((await run("overrides", "list", "--json")).stdout);
  expect(overrides).toMatchObject([{ policy: "guard", rule_id: "found", mode: "shadow", reason: why[1] }]);
  expect((await run("overrides", "list")).stdout).toContain("blocks order numbers");
  expect(await run("overrides", "end", overrides[0].id)).toMatchObject({ code: 0 });
  expect(await run("overrides", "end", overrides[0].id)).toMatchObject({ code: 1 });
});

test("what cannot be kept in shadow is refused, and says why", async () => {
  expect(await run("overrides", "set", "guard", "found")).toMatchObject({ code: 2 });
  const unknown = await run("overrides", "set", "guard", "nothing", "--reason", "a try");
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("no rule of this policy") });
  const nobody = await run("overrides", "set", "nobody", "stop", "--reason", "a try");
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('no policy "nobody"') });
});
