import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addDataset, callsOf, policyOf, startGateWorld } from "../harness/gate-world.ts";
import type { World } from "../harness/vector/world.ts";
import { newFolder, policyGuard, removeFolders } from "./run.ts";

let scene: Awaited<ReturnType<typeof startGateWorld>>;
let world: World;
let call: ReturnType<typeof callsOf>;
let dataset: string;
let folder: string;

beforeAll(async () => {
  scene = await startGateWorld();
  world = await scene.newWorld();
  call = callsOf(scene.plane.baseUrl, world);
  dataset = await addDataset(call, { attacks: 10, innocent: 2 });
  folder = newFolder({});
  await call("POST", "org:/policies", { document: policyOf({ detect: "injection" }) });
  // The first publish of a process loads the engine; the command's calls have a time limit, this one has none.
  await call("POST", "/bundles/publish", {});
});

afterAll(async () => {
  removeFolders();
  await scene.stop();
});

/** Runs the command while a worker does what waits. */
async function run(...args: string[]) {
  const place = ["--project", world.projectId, "--env", world.environment];
  const env = {
    POLICY_GUARD_URL: scene.plane.baseUrl,
    POLICY_GUARD_TOKEN: world.tokens.admin ?? "",
    POLICY_GUARD_ORG: world.orgId,
  };
  let isOver = false;
  const ended = policyGuard([...args, ...place], { cwd: folder, env }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await scene.work(world);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return ended;
}

const file = (name: string, text: string) => writeFileSync(join(folder, name), text);
const gate = (limit: number) => `- id: good-enough
  kind: benchmark
  on: [publish, activate]
  benchmark:
    dataset_id: ${dataset}
    positive: {labels: [attack], outcome_at_least: FLAG}
    filter: {language: en}
    require:
      - {metric: recall, at_least: ${limit}, slice: {by: language, value: en}}
      - {metric: false_positive_rate, at_most: 0.9, bound: estimate}
    baseline: null
- {id: as-before, kind: replay, enforcement: warn, replay: {max_newly_blocked: 0.01, bounded: ignore}}
`;

test("what gates get prints, gates set takes, in the spelling of the API", async () => {
  file("gates.yaml", gate(0.5));
  expect(await run("gates", "set", "gates.yaml")).toMatchObject({
    code: 0,
    stdout: `${world.environment} has 2 gates, version 1\n`,
  });
  const printed = await run("gates", "get", "--json");
  const { version, gates } = JSON.parse(printed.stdout);
  expect(version).toBe(1);
  expect(gates[0]).toMatchObject({
    ...{ id: "good-enough", kind: "benchmark", on: ["publish", "activate"], enforcement: "block" },
    benchmark: {
      positive: { labels: ["attack"], outcome_at_least: "FLAG" },
      require: [{ metric: "recall", bound: "lower", slice: { by: "language", value: "en" } }, { bound: "estimate" }],
    },
  });
  expect(gates[1]).toMatchObject({ enforcement: "warn", replay: { bounded: "ignore", window_days: 7 } });
  file("same.json", printed.stdout);
  const again = JSON.parse((await run("gates", "set", "same.json", "--expected-version", "1", "--json")).stdout);
  expect(again.gates).toEqual(gates);
  // What is there already makes no version.
  expect(again.version).toBe(1);
  file("milder.yaml", gate(0.4));
  expect(await run("gates", "set", "milder.yaml", "--expected-version", "1")).toMatchObject({ code: 0 });
  expect(await run("gates", "set", "same.json", "--expected-version", "1")).toMatchObject({ code: 1 });
  expect(await run("gates", "set", "same.json", "--expected-version", "2")).toMatchObject({ code: 0 });
  expect((await run("gates", "get")).stdout).toContain("good-enough");
});

test("a publish waits for its gates, and check and results say what came of them", async () => {
  const refused = await run("publish");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("good-enough (benchmark)") });
  const published = await run("publish", "--wait=300");
  expect(published).toMatchObject({ code: 0, stdout: expect.stringContaining("published version 2 of") });

  const checked = await run("gates", "check");
  expect(checked).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/good-enough +passed +open +the lower bound/),
  });
  const { results, total } = JSON.parse((await run("gates", "results", "--gate", "good-enough", "--json")).stdout);
  expect(total).toBe(1);
  expect(results[0]).toMatchObject({ state: "passed", kind: "benchmark", basis: "version 1" });

  file("strict.yaml", gate(0.99));
  await run("gates", "set", "strict.yaml");
  const failed = await run("gates", "check", "--wait=300", "--json");
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout).gates.at(-2)).toMatchObject({ state: "failed", details: { needed_n: 381 } });
  expect((await run("gates", "results")).stdout).toContain("2 of 2 results");
});

test("a file that is not about gates says where and why", async () => {
  file("odd.yaml", "- {id: a, kind: benchmark, benchmark: {require: [{metric: luck}]}}\n");
  const odd = await run("gates", "set", "odd.yaml");
  expect(odd).toMatchObject({ code: 1, stderr: expect.stringContaining('gates[0]: "luck" is none of precision') });
  file("none.yaml", "name: something\n");
  expect((await run("gates", "set", "none.yaml")).stderr).toContain("expected a list of gates");
});
