import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CaptureMode, RecordedSegmentSchema } from "../../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest } from "../../src/domain/fleet/ingest.ts";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import { testSealer } from "../harness/sealer.ts";
import { createWorld, type World } from "../harness/vector/world.ts";
import { batchOf, blockedEvaluation } from "../src/domain/telemetry/evaluation.ts";
import { newFolder, policyGuard, type RunOptions, removeFolders } from "./run.ts";

let plane: TestControlPlane;
let world: World;

beforeAll(async () => {
  plane = await startTestControlPlane();
  world = await createWorld(plane.database);
});

afterAll(async () => {
  removeFolders();
  await plane.stop();
});

function datasets(args: readonly string[], options: RunOptions = {}, command: readonly string[] = ["datasets"]) {
  const env = {
    POLICY_GUARD_URL: plane.baseUrl,
    POLICY_GUARD_TOKEN: world.tokens.admin ?? "",
    POLICY_GUARD_ORG: world.orgId,
  };
  return policyGuard([...command, ...args], { env, ...options });
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${JSON.stringify({ text: `text ${from + at}` })}\n`).join("");

/** The texts of a dataset in order. */
async function textsOf(name: string): Promise<string[]> {
  const { stdout, stderr, code } = await datasets(["export", name]);
  expect(code, stderr).toBe(0);
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).text]));
}

test("sends a file as one version, and lists each refused record with its line", async () => {
  const cwd = newFolder({ "a.csv": "Prompt,Stage\nfirst,input\nsecond,nowhere\nthird,input\n" });
  const mapping = '{"fields": {"text": "Prompt", "stage": "Stage"}}';
  const sent = await datasets(["import", "table", "a.csv", "--create", "--mapping", mapping], { cwd });
  expect(sent, sent.stderr).toMatchObject({ code: 1 });
  expect(sent.stdout).toMatch(/^a\.csv:3: stage .*\(invalid\)$/m);
  expect(sent.stdout).toContain("2 samples added, 1 refused; version 1");
  writeFileSync(join(cwd, "map.json"), mapping);
  const again = await datasets(["import", "table", "a.csv", "--mapping", "map.json", "--json"], { cwd });
  expect(JSON.parse(again.stdout)).toMatchObject({ version: null, added: 0, duplicates: 2, errors: [{ line: 3 }] });
  expect(await textsOf("table")).toEqual(["first", "third"]);
});

test("sends gzip as it is, and standard input", async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "b.jsonl.gz"), gzipSync(lines(1, 3)));
  expect(await datasets(["import", "packed", "b.jsonl.gz", "--create"], { cwd })).toMatchObject({ code: 0 });
  const piped = await datasets(["import", "packed", "-", "--format", "jsonl"], { stdin: lines(3, 5) });
  expect(piped.stdout).toContain("2 samples added, 1 there already; version 2");
  expect(await textsOf("packed")).toHaveLength(5);
  const packed = await datasets(["export", "packed", "--version", "1", "--out", "c.jsonl.gz"], { cwd });
  expect(packed, packed.stderr).toMatchObject({ code: 0 });
  const back = gunzipSync(readFileSync(join(cwd, "c.jsonl.gz"))).toString("utf8");
  expect(
    back
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).text),
  ).toEqual(["text 1", "text 2", "text 3"]);
});

test("sends parts, each a version, and goes on from a line", async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "d.jsonl.gz"), gzipSync(`${lines(1, 5)}{"text": 6}\n${lines(7, 8)}`));
  const args = ["import", "parts", "d.jsonl.gz", "--create", "--part-lines", "2"];
  const rest = await datasets([...args, "--from-line", "4", "--json"], { cwd });
  expect(rest.code).toBe(1);
  expect(JSON.parse(rest.stdout)).toMatchObject({ version: 3, added: 4, rejected: 1, errors: [{ line: 6 }] });
  expect(await textsOf("parts")).toEqual(["text 4", "text 5", "text 7", "text 8"]);
  const whole = await datasets(args, { cwd });
  expect(whole.stdout).toContain("3 samples added, 4 there already, 1 refused; version 5");
  expect(whole.stderr).toContain("lines 1 to 2: 2 added, version 4");
});

test("says from which line to go on when a part does not arrive", async () => {
  const cwd = newFolder({ "e.jsonl": lines(1, 4) });
  await datasets(["import", "broken", "e.jsonl", "--create"], { cwd });
  const { id } = JSON.parse((await datasets(["list", "--json"])).stdout).datasets[0];
  await plane.database.systemTransaction(world.orgId, (tx) =>
    tx.sql("update dataset set state = 'importing' where id = ?", [id]),
  );
  const refused = await datasets(["import", "broken", "e.jsonl", "--part-lines", "3", "--from-line", "2"], { cwd });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("Go on with --from-line 2.");
});

test("goes on with an export that broke off in a line", async () => {
  const cwd = newFolder({ "f.jsonl": lines(1, 6) });
  await datasets(["import", "resumed", "f.jsonl", "--create"], { cwd });
  await datasets(["export", "resumed", "--out", "whole.jsonl"], { cwd });
  const whole = readFileSync(join(cwd, "whole.jsonl"), "utf8");
  const resume = ["export", "resumed", "--version", "1", "--resume", "--out", "half.jsonl"];
  for (const bytes of [0, 10, Math.floor(whole.length / 2), whole.length]) {
    writeFileSync(join(cwd, "half.jsonl"), whole.slice(0, bytes));
    expect(await datasets(resume, { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "half.jsonl"), "utf8")).toBe(whole);
  }
  writeFileSync(join(cwd, "half.jsonl"), "something else\n");
  expect((await datasets(resume, { cwd })).stderr).toContain("no sample of an export");
  expect((await datasets(["export", "resumed", "--resume"], { cwd })).code).toBe(2);
});

test("lists the catalog, installs what ships, and says which file to send of what does not", async () => {
  expect((await datasets(["list", "--catalog"])).stdout).toMatch(/^injection-holdout .* ships with the product/m);
  const refused = await datasets(["install", "canary"]);
  expect(refused.stderr).toContain("accept");
  const shipped = await datasets(["install", "canary", "--accept-licence", "--json"]);
  expect(JSON.parse(shipped.stdout)).toMatchObject({ name: "canary", state: "ready", version: 1 });
  const foreign = await datasets(["install", "xstest", "--accept-licence"]);
  expect(foreign.stderr).toContain("policy-guard datasets import xstest xstest_prompts.csv");
  expect((await datasets(["list"])).stdout).toMatch(/^xstest .* awaiting_upload/m);
});

test("makes samples of annotated traces, and names those that became none", async () => {
  const record = blockedEvaluation("secrets", {
    capture: CaptureMode.FULL,
    segments: [create(RecordedSegmentSchema, { id: "s1", role: "user", text: "is it mine?" })],
  });
  await new Ingest(plane.database, { sealer: testSealer, onResult: () => undefined }).ingest(
    { orgId: world.orgId, projectId: world.projectId, environment: "dev", instanceId: randomUUID() },
    batchOf([record]),
  );
  const path = `${plane.baseUrl}/v1/orgs/${world.orgId}/traces/${record.evaluationId}/annotations`;
  const headers = { Authorization: `Bearer ${world.tokens.admin}`, "Content-Type": "application/json" };
  const answer = await fetch(path, { method: "POST", headers, body: '{"mark": "false-positive"}' });
  expect(answer.status).toBe(201);
  const first = await datasets(["reviewed", "--create", "--env", "dev"], {}, ["annotations", "export"]);
  expect(first, first.stderr).toMatchObject({ code: 0, stdout: "1 sample added; version 1\n" });
  expect(await textsOf("reviewed")).toEqual(["is it mine?"]);
  const again = await datasets(["reviewed", "--mark", "false-positive,correct", "--json"], {}, [
    "annotations",
    "export",
  ]);
  expect(JSON.parse(again.stdout)).toMatchObject({ exported: 0, duplicates: 1, version: 1 });
  expect((await datasets(["reviewed", "--mark", "wrong"], {}, ["annotations", "export"])).code).toBe(2);
});

test("says what is wrong with a call", async () => {
  const cwd = newFolder({ "g.txt": "x", "g.csv": "text\nx\n" });
  expect((await datasets(["import", "none", "g.txt"], { cwd })).stderr).toContain("--format");
  expect((await datasets(["import", "none", "missing.csv"], { cwd })).stderr).toContain("no such file");
  expect((await datasets(["import", "none", "g.csv", "--part-lines", "5"], { cwd })).code).toBe(2);
  expect((await datasets(["import", "none", "g.csv", "--mapping", "nofile"], { cwd })).code).toBe(2);
  expect((await datasets(["import", "unknown", "g.csv"], { cwd })).stderr).toContain('there is no dataset "unknown"');
  expect((await datasets(["export", "unknown"])).code).toBe(1);
});
