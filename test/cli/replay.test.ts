import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AnnotationMark } from "../../gen/policyguard/control/v1/annotation_pb.ts";
import { Outcome, Trust } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { RecordedPieceSchema } from "../../gen/policyguard/policy/v1/record_pb.ts";
import { engineDigest } from "../../runtime/engine/evaluate/record-digest.ts";
import { ownAnalysis } from "../../src/domain/analysis/own-analysis.ts";
import { Ingest } from "../../src/domain/fleet/ingest.ts";
import { Annotations } from "../../src/domain/measure/annotation/annotation.ts";
import { ReplayRun } from "../../src/domain/replay/replay-run.ts";
import { RunWorker } from "../../src/domain/run/run-worker.ts";
import { newId } from "../../src/kit/process/id.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import { testSealer } from "../harness/sealer.ts";
import { stillClock } from "../harness/still-clock.ts";
import { createWorld, type World } from "../harness/vector/world.ts";
import { batchOf, evaluation } from "../src/domain/telemetry/evaluation.ts";
import { newFolder, policyGuard, removeFolders } from "./run.ts";

const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: { name: support-bot }
rules:
  - { id: long, stages: [input], when: segment.length > 10, action: BLOCK }
`;
const minuteAgo = timestampFromDate(new Date(Date.now() - 60_000));
const ofLength = (length: number) =>
  evaluation({
    createdAt: minuteAgo,
    engine: engineDigest,
    pieces: [create(RecordedPieceSchema, { id: "s1", role: "user", trust: Trust.UNTRUSTED, length })],
  });
const [short, long] = [ofLength(5), ofLength(20)];

let plane: TestControlPlane;
let workerDatabase: Database;
let world: World;

beforeAll(async () => {
  plane = await startTestControlPlane({ analysis: ownAnalysis() });
  workerDatabase = await openDatabase({ url: plane.urls.workerUrl, poolSize: 2 });
  world = await createWorld(plane.database);
  const { orgId, projectId } = world;
  await new Ingest(plane.database, { sealer: testSealer, onResult: () => undefined }).ingest(
    { orgId, projectId, environment: "dev", instanceId: newId() },
    batchOf([short, long]),
  );
});

afterAll(async () => {
  removeFolders();
  await workerDatabase.close();
  await plane.stop();
});

function replay(...args: string[]) {
  const env = {
    POLICY_GUARD_URL: plane.baseUrl,
    POLICY_GUARD_TOKEN: world.tokens.admin ?? "",
    POLICY_GUARD_ORG: world.orgId,
  };
  return policyGuard(["replay", ...args, "--policy", "p.yaml"], { cwd: newFolder({ "p.yaml": policy }), env });
}

/** Does the work of a worker on the replay that waits. */
async function work(): Promise<void> {
  const kinds = { replay: new ReplayRun({ database: workerDatabase, sealer: testSealer, analysis: ownAnalysis() }) };
  const worker = new RunWorker(workerDatabase, { kinds, clock: stillClock, log: pino({ level: "silent" }) });
  const waiting = await plane.database.read(world.orgId, (tx) =>
    tx.sql<{ id: string }>("select id from run where state = 'queued' order by created_at"),
  );
  for (const { id } of waiting) await worker.work({ org_id: world.orgId, run_id: id });
}

test("replays one trace on the server", async () => {
  const ended = await replay(long.evaluationId, "--fail-on-change");
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stdout).toContain("ALLOW -> BLOCK\nby rule long of policy support-bot");
  const json = JSON.parse((await replay(short.evaluationId, "--mode", "signals", "--json")).stdout);
  expect(json).toMatchObject({ trace_id: short.evaluationId, outcome: "ALLOW", changed: false, mode_used: "signals" });
  expect(await replay(newId())).toMatchObject({ code: 1 });
  expect((await replay(short.evaluationId, "--sample", "5")).stderr).toContain(
    "--sample is for replays of many traces",
  );
});

test("replays many traces as a run, and waits for its report", async () => {
  await new Annotations(plane.database, testSealer).create(world.caller, long.evaluationId, {
    ...{ mark: AnnotationMark.FALSE_NEGATIVE, expectedOutcome: Outcome.BLOCK, expectedLabels: [], spans: [] },
    ...{ note: null, isFinal: false, rule: undefined, annotator: undefined },
  });
  const measured = ["--language", "en", "--would-be", "allow", "--min-latency", "1", "--max-latency", "900000"];
  measured.push("--annotation", "false-negative");
  const begun = JSON.parse((await replay("--env", "dev", "--sample", "9", ...measured, "--json")).stdout);
  expect(begun).toMatchObject({
    state: "queued",
    policy: "support-bot",
    filter: {
      ...{ environment: "dev", language: "en", would_be_outcome: "ALLOW" },
      ...{ min_latency_us: 1, max_latency_us: 900_000, annotation: "false-negative" },
    },
    sample: { max: 9 },
  });
  const late = await replay("--wait=1");
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("still works after 1 s")]);
  const waited = replay("--project", world.projectId, "--wait", "--fail-on-change");
  let isOver = false;
  void waited.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { code, stdout } = await waited;
  expect(stdout).toContain("2 traces, 2 judged, 0 of them without a certain outcome");
  expect(stdout).toMatch(/newly blocked +1/);
  expect(stdout).toContain("marked false-negative: 1 caught, 0 missed");
  expect(stdout).toContain("support-bot/long: matched 0, matches 1; 1 newly blocked, 0 newly allowed");
  expect(stdout).toContain(`${long.evaluationId}  ALLOW -> BLOCK  long`);
  expect(code).toBe(1);
});

test("keeps the counts of a file's replay on the server, and nothing else of it", async () => {
  const texts = ["hi", "a text that is long enough", "another text that is long enough"];
  const lines = texts.map((text) => `${JSON.stringify({ text, stage: "input", outcome: "ALLOW" })}\n`).join("");
  const cwd = newFolder({ "requests.jsonl": lines });
  const ended = await replay(
    `${cwd}/requests.jsonl`,
    "--upload",
    "--project",
    world.projectId,
    "--env",
    "dev",
    "--json",
  );
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const { replay_id: id } = JSON.parse(ended.stdout);
  const headers = { Authorization: `Bearer ${world.tokens.admin}` };
  const answer = await fetch(`${plane.baseUrl}/v1/orgs/${world.orgId}/replays/${id}`, { headers });
  const kept = await answer.json();
  expect(kept).toMatchObject({
    ...{ state: "succeeded", origin: "local", since: null, until: null, policy: null },
    progress: { done: 3, total: 3 },
    judges: [{ policy: "support-bot", digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }],
    filter: { project_id: world.projectId, environment: "dev" },
    report: { population: 3, sampled: 3, bounded: 0, newly_blocked: { traces: 2, estimate: 2, low: 2, high: 2 } },
  });
  expect(JSON.stringify(kept)).not.toContain("long enough");
  expect((await replay("--upload")).stderr).toContain("--upload is for files");
});

test("says what cannot be combined, and what an option takes", async () => {
  expect((await replay("--before", "p.yaml")).stderr).toContain("--before is for files");
  expect(await replay("--outcome", "perhaps")).toMatchObject({ code: 2 });
  expect(await replay("--since", "yesterday")).toMatchObject({ code: 2 });
});
