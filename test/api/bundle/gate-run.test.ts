// Gates that runs decide: benchmarks and replays, and the gate of languages, which is decided at once.

import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FindingSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, Outcome, Trust } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { RecordedPieceSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { engineDigest } from "../../../runtime/engine/evaluate/record-digest.ts";
import { ownAnalysis } from "../../../src/domain/analysis/own-analysis.ts";
import { createGateKeeper } from "../../../src/domain/bundle/module.ts";
import { BenchmarkGate } from "../../../src/domain/measure/benchmark/benchmark-gate.ts";
import { eraseSamplesAbout } from "../../../src/domain/measure/dataset/dataset-erasure.ts";
import { gateMeasures } from "../../../src/gate-measures.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { noteSubjects } from "../../../src/store/measure/dataset/dataset-subject.ts";
import { eventually } from "../../harness/eventually.ts";
import { addDataset, type Calls, callsOf, policyOf, startGateWorld } from "../../harness/gate-world.ts";
import type { World } from "../../harness/vector/world.ts";
import { blockedEvaluation, evaluation } from "../../src/domain/telemetry/evaluation.ts";

let scene: Awaited<ReturnType<typeof startGateWorld>>;
beforeAll(async () => {
  scene = await startGateWorld();
});
afterAll(() => scene.stop());

const dayMs = 86_400_000;
const finds = policyOf({ detect: "injection" });
const always = policyOf({ when: "segment.length >= 0" });
const misses = policyOf({ when: "segment.length > 1000" });
const positive = { labels: ["attack"] };

/** An organization with a policy that finds injections, in force as version 1. */
async function withGuard() {
  const world = await scene.newWorld();
  const call = callsOf(scene.plane.baseUrl, world);
  const { body: policy } = await call("POST", "org:/policies", { document: finds });
  expect((await call("POST", "/bundles/publish", { activate: true })).status).toBe(201);
  const change = (document: object) => call("PUT", `org:/policies/${policy.id}`, { document });
  const runs = async () => Number((await call("GET", "org:/benchmarks")).body.total);
  return { world, call, change, runs };
}

const recallGate = (dataset_id: string, change: object = {}, requirement: object = {}) => ({
  ...{ id: "good-enough", kind: "benchmark" },
  benchmark: { dataset_id, positive, require: [{ metric: "recall", at_least: 0.5 }], ...requirement },
  ...change,
});

describe("a gate of a benchmark", () => {
  test("begins what nobody has measured, names the run, and is decided by it; a roll-back passes", async () => {
    const { world, call, change, runs } = await withGuard();
    const dataset = await addDataset(call, { attacks: 10, innocent: 10 });
    await change(misses);
    await call("POST", "/bundles/publish", {});
    expect(await call("PUT", "/gates", { gates: [recallGate(dataset)] })).toMatchObject({ status: 200 });

    const pending = await call("POST", "/bundles/2/activate", {});
    expect(pending).toMatchObject({ status: 409, retryAfter: "2", detail: { error: "gate_pending", retry_after: 2 } });
    const [{ run_id: runId }] = pending.detail.gates;
    expect(pending.detail.gates).toMatchObject([{ gate: "good-enough", kind: "benchmark", state: "pending" }]);
    expect((await call("POST", "/bundles/2/activate", {})).detail.gates).toMatchObject([{ run_id: runId }]);
    expect(await runs()).toBe(1);
    expect((await call("GET", `org:/benchmarks/${runId}`)).body.target.bundle).toMatchObject({ version: null });

    await scene.work(world);
    const failed = await call("POST", "/bundles/2/activate", {});
    expect(failed).toMatchObject({ status: 409, detail: { error: "benchmark_gate_failed" } });
    expect(failed.detail.gates[0]).toMatchObject({
      ...{ state: "failed", run_id: runId },
      details: {
        ...{ dataset_version: 1, samples: 20, baseline: null, needed_n: null },
        requirements: [{ metric: "recall", bound: "lower", at_least: 0.5, value: 0, met: false }],
      },
    });
    expect((await call("GET", "/bundles/2")).body.gates.at(-1)).toMatchObject({ state: "failed", run_id: runId });

    // Back to what was in force: nothing is measured.
    expect(await call("POST", "/bundles/1/activate", {})).toMatchObject({ status: 200, body: { state: "active" } });
    expect(await runs()).toBe(1);

    await change(finds);
    await change(policyOf({ detect: "injection", severity: "high" }));
    await call("POST", "/bundles/publish", {});
    const { id: environmentId } = await environmentOf(call, world);
    await scene.work(world, { environmentId, version: 3 });
    expect(await call("POST", "/bundles/3/activate", {})).toMatchObject({ status: 200, body: { state: "active" } });
    const { body: results } = await call("GET", "/gates/results");
    expect(results.results.map((each: { state: string }) => each.state).sort()).toEqual(["failed", "passed"]);
    const { body: evidence } = await call("GET", "org:/evidence?action=gate.result");
    expect(evidence).toMatchObject({ total: 2 });
    expect(evidence.evidence[0].after).toMatchObject({ gate: "good-enough", state: "passed" });
  });

  test("stops a publish before there is a version, and lets the same content pass once it is known", async () => {
    const { world, call, change } = await withGuard();
    const dataset = await addDataset(call, { attacks: 10, innocent: 2 });
    await change(policyOf({ detect: "injection", severity: "low" }));
    await call("PUT", "/gates", { gates: [recallGate(dataset, { on: ["publish", "activate"] })] });
    const pending = await call("POST", "/bundles/publish", { activate: true });
    expect(pending).toMatchObject({ status: 409, detail: { error: "gate_pending", gates: [{ state: "pending" }] } });
    expect((await call("GET", "/bundles")).body.total).toBe(1);
    await scene.work(world);
    expect(await call("POST", "/bundles/publish", { activate: true })).toMatchObject({
      status: 201,
      body: { version: 2, state: "active", gates: [{ state: "passed", run_id: pending.detail.gates[0].run_id }] },
    });
  });

  test("says how many samples it lacks when nobody could pass", async () => {
    const { world, call } = await withGuard();
    const dataset = await addDataset(call, { attacks: 10, innocent: 2 });
    const require = [
      { metric: "recall", at_least: 0.99 },
      { metric: "false_positive_rate", at_most: 0.5, bound: "estimate" },
    ];
    await call("PUT", "/gates", { gates: [recallGate(dataset, {}, { require })] });
    await call("POST", "/bundles/publish", {});
    await call("POST", "/gates/check", {});
    await scene.work(world);
    const { body } = await call("POST", "/gates/check", { version: 2 });
    expect(body).toMatchObject({ version: 2, retry_after: null });
    const { details, reason, state } = body.gates.at(-1);
    // Wilson's lower bound of n in n is n / (n + z²).
    expect({ state, needed: details.needed_n }).toEqual({ state: "failed", needed: 381 });
    expect(reason).toContain("381 are needed");
    expect(details.requirements).toMatchObject([{ met: false }, { met: true, needed_n: null }]);
  });

  test("takes the benchmark that somebody has made of the same content for an answer", async () => {
    const { world, call, change, runs } = await withGuard();
    const dataset = await addDataset(call, { attacks: 10, innocent: 2 });
    await change(policyOf({ detect: "injection", severity: "low" }));
    await call("POST", "/bundles/publish", {});
    const bundle = { project_id: world.projectId, environment: world.environment, version: 2 };
    const { body: own } = await call("POST", "org:/benchmarks", { dataset_id: dataset, target: { bundle }, positive });
    await scene.work(world);
    await call("PUT", "/gates", { gates: [recallGate(dataset)] });
    const activated = await call("POST", "/bundles/2/activate", {});
    expect(activated).toMatchObject({ status: 200, body: { gates: [{ state: "passed", run_id: own.id }] } });
    expect(await runs()).toBe(1);
  });

  test("holds a version against the approved baseline", async () => {
    const { world, call, change } = await withGuard();
    const dataset = await addDataset(call, { attacks: 20, innocent: 20 });
    const gate = (baseline: object) => recallGate(dataset, {}, { require: [], baseline });
    await change(misses);
    await call("POST", "/bundles/publish", {});
    await call("PUT", "/gates", { gates: [gate({ test: "no_regression" })] });
    expect((await call("POST", "/bundles/2/activate", {})).detail).toMatchObject({
      error: "gate_pending",
      gates: [{ state: "missing", reason: expect.stringContaining("no approved baseline") }],
    });

    const bundle = { project_id: world.projectId, environment: world.environment, version: 1 };
    const { body: best } = await call("POST", "org:/benchmarks", { dataset_id: dataset, target: { bundle }, positive });
    await scene.work(world);
    expect((await call("POST", `org:/benchmarks/${best.id}/approve`, {})).status).toBe(200);
    await call("POST", "/bundles/2/activate", {});
    await scene.work(world);
    const worse = (await call("POST", "/bundles/2/activate", {})).detail;
    expect(worse).toMatchObject({
      error: "benchmark_gate_failed",
      gates: [{ details: { baseline: { run_id: best.id, only_wrong: 20, only_right: 0, common: 40, met: false } } }],
    });

    await change(policyOf({ detect: "injection", severity: "low" }));
    await call("POST", "/bundles/publish", {});
    const tight = { test: "non_inferior", margin: 0.02 };
    await call("PUT", "/gates", { gates: [gate({ ...tight, margin: 0.2 }), { ...gate(tight), id: "strict" }] });
    await call("POST", "/bundles/3/activate", {});
    await scene.work(world);
    const { detail } = await call("POST", "/bundles/3/activate", {});
    const [loose, strict] = detail.gates;
    expect(loose).toMatchObject({ state: "passed", details: { baseline: { only_wrong: 0, met: true } } });
    expect(strict).toMatchObject({ state: "failed", details: { baseline: { met: false } } });
    expect(strict.details.needed_n).toBeGreaterThan(40);
  });

  test("judges a rule that never matches by zero matches, and names one that the version does not have", async () => {
    const { world, call, change, runs } = await withGuard();
    const dataset = await addDataset(call, { attacks: 20, innocent: 20 });
    const silent = { id: "silent", stages: ["input"], when: "segment.length > 1000", action: "BLOCK" };
    const document = policyOf({ detect: "injection" });
    await change({ ...document, rules: [...document.rules, silent] });
    await call("POST", "/bundles/publish", {});
    const bundle = { project_id: world.projectId, environment: world.environment, version: 2 };
    await call("POST", "org:/benchmarks", { dataset_id: dataset, target: { bundle }, positive });
    await scene.work(world);
    const of = (value: string, limit: object) => ({ ...limit, slice: { by: "rule", value } });
    const require = [
      of("guard/silent", { metric: "false_positive_rate", at_most: 0.2 }),
      of("guard/silent", { metric: "recall", at_least: 0.5 }),
      of("guard/gone", { metric: "recall", at_least: 0.5 }),
      of("guard/found", { metric: "recall", at_least: 0.5 }),
    ];
    await call("PUT", "/gates", { gates: [recallGate(dataset, {}, { require })] });
    await call("POST", "/gates/check", {});
    // The benchmark that there is already has not measured a rule that never matched.
    expect(await runs()).toBe(2);
    await scene.work(world);
    const { state, reason, details } = (await call("POST", "/gates/check", {})).body.gates.at(-1);
    expect(state).toBe("failed");
    expect(details.requirements).toMatchObject([
      { value: 0.161125, met: true },
      { value: 0, met: false },
      { value: null, met: false, needed_n: null },
      { value: 0.838875, met: true },
    ]);
    expect(reason).toContain("recall of rule guard/gone is not known: the version has no such rule");
  });

  test("says that samples were erased after the baseline was measured", async () => {
    const { world, call, change } = await withGuard();
    const dataset = await addDataset(call, { attacks: 4, innocent: 4 });
    const bundle = { project_id: world.projectId, environment: world.environment, version: 1 };
    const { body: best } = await call("POST", "org:/benchmarks", { dataset_id: dataset, target: { bundle }, positive });
    await scene.work(world);
    await call("POST", `org:/benchmarks/${best.id}/approve`, {});
    await erase(world, call, dataset);
    await change(policyOf({ detect: "injection", severity: "low" }));
    await call("POST", "/bundles/publish", {});
    await call("PUT", "/gates", {
      gates: [recallGate(dataset, {}, { require: [], baseline: { test: "no_regression" } })],
    });
    const { detail } = await call("POST", "/bundles/2/activate", {});
    expect(detail).toMatchObject({ error: "gate_pending", gates: [{ state: "missing" }] });
    expect(detail.gates[0].reason).toContain("erased after the approved baseline was measured: approve a newer");
  });

  test.each(["import", "erasure"] as const)(
    "asks about the version that it depends on, also with an %s between",
    async (what) => {
      const { world, call, change } = await withGuard();
      const dataset = await addDataset(call, { attacks: 4, innocent: 4 });
      await change(policyOf({ detect: "injection", severity: "low" }));
      await call("POST", "/bundles/publish", {});
      await call("PUT", "/gates", { gates: [recallGate(dataset)] });
      const [depends, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      /** Stops after it has found out what the answer depends on. */
      class Interrupted extends BenchmarkGate {
        #begins = false;
        override async begin(...asked: Parameters<BenchmarkGate["begin"]>) {
          this.#begins = true;
          await super.begin(...asked);
        }
        override async basis(...asked: Parameters<BenchmarkGate["basis"]>) {
          const basis = await super.basis(...asked);
          if (!this.#begins) return basis;
          depends.resolve();
          await goesOn.promise;
          return basis;
        }
      }
      const { database, clock } = scene;
      const measures = { ...gateMeasures({ database, clock }), benchmark: new Interrupted({ database, clock }) };
      const { id: environmentId } = await environmentOf(call, world);
      const keeper = createGateKeeper({ database, analysis: ownAnalysis(), measures });
      const begun = keeper.prepare(world.orgId, environmentId, 2);
      await depends.promise;
      let isDone = false;
      const samples = [{ text: "Where is my parcel?", labels: ["benign"] }];
      const work =
        what === "import" ? call("POST", `org:/datasets/${dataset}/samples`, { samples }) : erase(world, call, dataset);
      const changed = work.then(() => {
        isDone = true;
      });
      // It waits until the run has begun: otherwise the answer would be noted for a version that was not measured.
      await eventually(async () => expect(isDone || (await waitsForLock())).toBe(true)).finally(goesOn.resolve);
      await Promise.all([begun, changed]);
      const { results } = (await call("GET", "/gates/results")).body;
      expect(results).toMatchObject([{ basis: "version 1", state: "pending" }]);
      expect((await call("GET", `org:/benchmarks/${results[0].run_id}`)).body).toMatchObject({
        ...{ version: 1, inputs: { erasure_revision: 0 } },
      });
      // By now it depends on something else.
      expect((await call("POST", "/gates/check", {})).body.gates.at(-1)).toMatchObject({ state: "pending" });
      const { results: all } = (await call("GET", "/gates/results")).body;
      const after = what === "import" ? "version 2" : "version 1, erasure 1";
      expect(all.map(({ basis }: { basis: string }) => basis).sort()).toEqual(["version 1", after].sort());
      await scene.work(world);
    },
  );

  test("goes by one of two baselines that are approved at once, and evidence says which it replaced", async () => {
    const { world, call } = await withGuard();
    const dataset = await addDataset(call, { attacks: 2, innocent: 2 });
    const bundle = { project_id: world.projectId, environment: world.environment, version: 1 };
    const measure = async () =>
      String((await call("POST", "org:/benchmarks", { dataset_id: dataset, target: { bundle }, positive })).body.id);
    const ids = [await measure(), await measure(), await measure(), await measure()];
    await scene.work(world);
    await Promise.all(ids.map((id) => call("POST", `org:/benchmarks/${id}/approve`, {})));
    const { body } = await call("GET", "org:/evidence?action=benchmark.approve");
    const replaced = body.evidence.map(
      ({ before }: { before: { benchmark_id: string } | null }) => before?.benchmark_id,
    );
    const { body: list } = await call("GET", "org:/benchmarks");
    const approved = list.benchmarks.filter(({ approval }: { approval: object | null }) => approval !== null);
    // Each but the last is replaced once, and the first replaces nothing.
    expect([...replaced, approved[0].id].sort()).toEqual([...ids, undefined].sort());
    expect(approved).toHaveLength(1);
  });

  test("begins again after its run was canceled, and when what was found out is 30 days old", async () => {
    const { world, call, change } = await withGuard();
    const dataset = await addDataset(call, { attacks: 10, innocent: 2 });
    await call("PUT", "/gates", { gates: [recallGate(dataset)] });
    await change(policyOf({ detect: "injection", severity: "low" }));
    await call("POST", "/bundles/publish", {});
    const first = (await call("POST", "/gates/check", {})).body.gates.at(-1).run_id;
    await call("POST", `org:/benchmarks/${first}/cancel`, {});
    expect((await call("GET", "/bundles/2")).body.gates.at(-1)).toMatchObject({
      ...{ state: "missing", run_id: first, reason: expect.stringContaining("is canceled") },
    });
    const second = (await call("POST", "/gates/check", {})).body.gates.at(-1);
    expect(second.state).toBe("pending");
    expect(second.run_id).not.toBe(first);
    await scene.work(world);
    expect((await call("POST", "/gates/check", {})).body.gates.at(-1).state).toBe("passed");
    scene.clock.pass(31 * dayMs);
    expect((await call("POST", "/gates/check", {})).body.gates.at(-1).state).toBe("pending");
    await scene.work(world);
    expect((await call("POST", "/bundles/2/activate", {})).status).toBe(200);
  });

  test("does not begin again at once after its run has failed, and says when it does", async () => {
    const { world, call, change, runs } = await withGuard();
    const dataset = await addDataset(call, { attacks: 10, innocent: 2 });
    await change(policyOf({ detect: "injection", severity: "low" }));
    await call("POST", "/bundles/publish", {});
    await call("PUT", "/gates", { gates: [recallGate(dataset)] });
    const { run_id: first } = (await call("POST", "/gates/check", {})).body.gates.at(-1);
    await scene.fail(world, first);
    const before = await runs();
    for (let asked = 0; asked < 3; asked++) {
      const { detail, retryAfter } = await call("POST", "/bundles/2/activate", {});
      const again = new Date(scene.clock.now().getTime() + 600_000).toISOString();
      expect(detail).toMatchObject({
        ...{ error: "gate_pending", retry_after: 600 },
        gates: [{ state: "missing", run_id: first, reason: expect.stringContaining(`asks after ${again}`) }],
      });
      expect(detail.gates[0].reason).toContain("broken on purpose");
      expect(retryAfter).toBe("600");
    }
    expect(await runs()).toBe(before);
    scene.clock.pass(600_000);
    expect((await call("POST", "/gates/check", {})).body.gates.at(-1).state).toBe("pending");
    await scene.work(world);
    expect((await call("POST", "/bundles/2/activate", {})).status).toBe(200);
  });

  test("says that other runs wait when its own cannot begin, and begins when there is room", async () => {
    const { world, call, change } = await withGuard();
    const dataset = await addDataset(call, { attacks: 2, innocent: 2 });
    await change(policyOf({ detect: "injection", severity: "low" }));
    await call("POST", "/bundles/publish", {});
    await call("PUT", "/gates", {
      gates: [recallGate(dataset, {}, { require: [{ metric: "recall", at_least: 0.1 }] })],
    });
    const target = { detector: { use: "injection" } };
    const waiting = async () =>
      (await call("POST", "org:/benchmarks", { dataset_id: dataset, target, positive })).status;
    for (let queued = 0; queued < 20; queued++) expect(await waiting()).toBe(201);
    const { detail } = await call("POST", "/bundles/2/activate", {});
    expect(detail).toMatchObject({ error: "gate_pending", gates: [{ state: "missing", run_id: null }] });
    expect(detail.gates[0].reason).toContain("20 runs of the organization wait already");
    expect((await call("GET", "/gates/results")).body.results[0].reason).toContain("20 runs");
    const { body } = await call("GET", "org:/benchmarks?limit=1");
    await call("POST", `org:/benchmarks/${body.benchmarks[0].id}/cancel`, {});
    expect((await call("POST", "/gates/check", {})).body.gates.at(-1)).toMatchObject({ state: "pending" });
    await scene.work(world);
  });

  test("keeps its dataset from being deleted, and lets nothing pass when that is forced", async () => {
    const { call, change } = await withGuard();
    const dataset = await addDataset(call, { attacks: 2, innocent: 2 });
    await change(misses);
    await call("POST", "/bundles/publish", {});
    await call("PUT", "/gates", { gates: [recallGate(dataset)] });
    const used = await call("DELETE", `org:/datasets/${dataset}`);
    expect(used).toMatchObject({ status: 409, detail: { error: "dataset_in_use" } });
    expect(used.detail.message).toContain("good-enough of");
    expect((await call("DELETE", `org:/datasets/${dataset.toUpperCase()}`)).status).toBe(409);
    expect((await call("DELETE", `org:/datasets/${dataset}?force=true`)).status).toBe(204);
    expect((await call("POST", "/bundles/2/activate", {})).detail).toMatchObject({
      error: "gate_pending",
      gates: [{ state: "missing", reason: expect.stringContaining("was deleted") }],
    });
    expect((await call("PUT", "/gates", { gates: [recallGate(dataset)] })).status).toBe(422);
  });
});

describe("a gate of a replay", () => {
  const gate = (replay: object) => ({ id: "as-before", kind: "replay", replay });

  test("passes where nothing is in force, and then goes by the traces of its window", async () => {
    const world = await scene.newWorld();
    const call = callsOf(scene.plane.baseUrl, world);
    await call("PUT", "/gates", { gates: [gate({ max_newly_blocked: 0.1, min_traces: 20 })] });
    expect(await call("POST", "/bundles/publish", { activate: true })).toMatchObject({
      status: 201,
      body: { gates: [{ state: "passed" }] },
    });
    await call("POST", "org:/policies", { document: always });
    await call("POST", "/bundles/publish", {});
    const now = scene.clock.now();
    const traces = (n: number) => Array.from({ length: n }, () => evaluation({}, new Date(now.getTime() - 60_000)));
    await scene.store(world, traces(19));
    expect((await call("POST", "/bundles/2/activate", {})).detail).toMatchObject({ error: "gate_pending" });
    await scene.work(world);
    expect((await call("POST", "/bundles/2/activate", {})).detail).toMatchObject({
      error: "replay_gate_failed",
      gates: [{ state: "failed", details: { population: 19, judged: 19, needed_n: 20 } }],
    });

    // The next day it is asked anew. Without facts and text every outcome is possible, which counts as changed.
    await scene.store(world, traces(1));
    scene.clock.pass(dayMs);
    await call("POST", "/bundles/2/activate", {});
    await scene.work(world);
    const { detail } = await call("POST", "/bundles/2/activate", {});
    expect(detail.gates[0].details).toMatchObject({
      ...{ population: 20, judged: 20, needed_n: null },
      newly_blocked: { estimate: 0, upper: 1, limit: 0.1, met: false },
    });
  });

  test("counts what would no longer be blocked, and leaves out what is not known when it is told to", async () => {
    const { world, call, change } = await withGuard();
    await change(misses);
    await call("POST", "/bundles/publish", {});
    const before = evaluation({}, new Date(scene.clock.now().getTime() - 60_000));
    const { createdAt } = before;
    const others = Array.from({ length: 8 }, () => evaluation({ createdAt }));
    await scene.store(world, [before, ...others, blockedEvaluation("found", { createdAt })]);
    const asked = { max_newly_allowed: 0.05, min_traces: 10 };
    await call("PUT", "/gates", { gates: [gate(asked)] });
    await call("POST", "/gates/check", {});
    await scene.work(world);
    expect((await call("POST", "/gates/check", {})).body.gates.at(-1)).toMatchObject({
      state: "failed",
      details: { newly_allowed: { upper: 0.1, limit: 0.05 } },
    });
    await call("PUT", "/gates", { gates: [gate({ ...asked, bounded: "ignore", min_traces: 1 })] });
    await call("POST", "/gates/check", {});
    await scene.work(world);
    expect((await call("POST", "/gates/check", {})).body.gates.at(-1)).toMatchObject({
      details: { judged: 0, needed_n: 1 },
    });
  });

  test("compares as if there were no override: a rule that is weakened under one allows what it had blocked", async () => {
    const world = await scene.newWorld();
    const call = callsOf(scene.plane.baseUrl, world);
    const { body: policy } = await call("POST", "org:/policies", { document: always });
    await call("POST", "/bundles/publish", { activate: true });
    const override = { policy_id: policy.id, rule_id: "found", reason: "too strict", hours: 24 };
    expect(await call("POST", "/overrides", override)).toMatchObject({ status: 201, body: { activation_seq: 2 } });
    const now = scene.clock.now();
    const inShadow = (activationSeq: number) =>
      evaluation(
        {
          ...{ wouldBeOutcome: Outcome.BLOCK, engine: engineDigest },
          bundle: { ...evaluation().bundle, activationSeq } as never,
          findings: [
            create(FindingSchema, { policy: "guard", ruleId: "found", action: Outcome.BLOCK, mode: Mode.SHADOW }),
          ],
          pieces: [create(RecordedPieceSchema, { id: "s1", role: "user", trust: Trust.UNTRUSTED, length: 9 })],
        },
        new Date(now.getTime() - 60_000),
      );
    await scene.store(world, [...Array.from({ length: 6 }, () => inShadow(2)), ...[1, 1, 1, 1].map(inShadow)]);
    const asked = { max_newly_blocked: 0.5, max_newly_allowed: 0.5, min_traces: 10 };
    const stands = async () => {
      await call("PUT", "/gates", { gates: [gate(asked)] });
      await call("POST", "/gates/check", {});
      await scene.work(world);
      return (await call("POST", "/gates/check", {})).body.gates.at(-1);
    };
    await call("PUT", `org:/policies/${policy.id}`, {
      document: policyOf({ when: "segment.length >= 0", severity: "low" }),
    });
    await call("POST", "/bundles/publish", {});
    // Before the override nothing was blocked either, so what the rule blocks is new there; under it nothing is.
    expect(await stands()).toMatchObject({
      state: "passed",
      details: { overrides: ["guard/found"], newly_blocked: { estimate: 0.4 }, newly_allowed: { estimate: 0 } },
    });
    await call("PUT", `org:/policies/${policy.id}`, { document: misses });
    await call("POST", "/bundles/publish", {});
    expect(await stands()).toMatchObject({
      ...{ state: "failed", reason: expect.stringContaining("as if no override kept guard/found in shadow") },
      details: { newly_blocked: { estimate: 0 }, newly_allowed: { estimate: 0.6, met: false } },
    });
  });
});

test("a gate of languages is decided at once, and names each gap", async () => {
  const { call, change } = await withGuard();
  await change(policyOf({ detect: "injection", severity: "low" }));
  const gate = { id: "polyglot", kind: "languages", languages: { required_languages: ["pt_BR", "de"] } };
  const { body: set } = await call("PUT", "/gates", { gates: [{ ...gate, on: ["publish"] }] });
  expect(set.gates[0].languages).toEqual({ required_languages: ["pt", "de"] });
  const refused = await call("POST", "/bundles/publish", {});
  expect(refused).toMatchObject({ status: 409, detail: { error: "languages_uncovered" } });
  expect(refused.detail.missing).toContainEqual({ language: "de", category: "injection" });
  expect((await call("GET", "/bundles")).body.total).toBe(1);
  await change(misses);
  expect(await call("POST", "/bundles/publish", {})).toMatchObject({
    status: 201,
    body: { gates: [{ state: "passed", run_id: null }] },
  });
});

/** Erases a sample of the dataset. */
async function erase({ orgId }: World, call: Calls, dataset: string): Promise<void> {
  const { body } = await call("GET", `org:/datasets/${dataset}/samples?limit=1`);
  const subject = { digest: randomBytes(32), sampleId: String(body.samples[0].id) };
  await scene.database.systemTransaction(orgId, (tx) => noteSubjects(tx, dataset, [subject]));
  await scene.database.systemTransaction(orgId, (tx) => eraseSamplesAbout(tx, [subject.digest], 10));
}

/** Whether somebody waits for a lock in this database. */
async function waitsForLock(): Promise<boolean> {
  const sql = `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where not l.granted and a.datname = current_database()`;
  return (await scene.plane.database.read(newId(), (tx) => tx.sql(sql, []))).length > 0;
}

async function environmentOf(
  call: ReturnType<typeof callsOf>,
  { projectId, environment }: { projectId: string; environment: string },
) {
  const { body } = await call("GET", `org:/projects/${projectId}/environments`);
  return body.environments.find(({ name }: { name: string }) => name === environment);
}
