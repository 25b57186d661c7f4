import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Ingest } from "../../src/domain/fleet/ingest.ts";
import { newId } from "../../src/kit/process/id.ts";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import { testSealer } from "../harness/sealer.ts";
import { createWorld, type World } from "../harness/vector/world.ts";
import { batchOf, blockedEvaluation, evaluation } from "../src/domain/telemetry/evaluation.ts";
import { newFolder, policyGuard, removeFolders } from "./run.ts";

let plane: TestControlPlane;
let world: World;
const blocked = blockedEvaluation("pii.email", { userId: "u-1" });

beforeAll(async () => {
  plane = await startTestControlPlane();
  world = await createWorld(plane.database);
  const { orgId, projectId } = world;
  await new Ingest(plane.database, { sealer: testSealer, onResult: () => undefined }).ingest(
    { orgId, projectId, environment: "dev", instanceId: newId() },
    batchOf([blocked, evaluation(), evaluation()]),
  );
});

afterAll(async () => {
  removeFolders();
  await plane.stop();
});

function traces(...args: string[]) {
  const env = {
    POLICY_GUARD_URL: plane.baseUrl,
    POLICY_GUARD_TOKEN: world.tokens.admin ?? "",
    POLICY_GUARD_ORG: world.orgId,
  };
  const cwd = newFolder({});
  return Object.assign(policyGuard(["traces", ...args], { cwd, env }), { cwd });
}

test("lists traces by filters, and page by page", async () => {
  const found = await traces("list", "--outcome", "block", "--rule", "pii.email", "--project", world.projectId);
  expect(found).toMatchObject({ code: 0 });
  expect(found.stdout).toMatch(new RegExp(`BLOCK +input +dev +pii.email +${blocked.evaluationId}\\n$`));
  const measured = ["--language", "en", "--would-be", "block", "--min-latency", "180", "--max-latency", "180"];
  expect(JSON.parse((await traces("list", ...measured, "--json")).stdout)).toMatchObject({ total: 1 });
  const none = ["--annotation", "disputed", "--unjudged", "timeout", "--bundle-version", "7"];
  for (const at of [0, 2, 4])
    expect(JSON.parse((await traces("list", ...none.slice(at, at + 2), "--json")).stdout)).toMatchObject({ total: 0 });
  const first = JSON.parse((await traces("list", "--limit", "2", "--json")).stdout);
  expect(first).toMatchObject({ total: 3, total_is_exact: true, examined_until: null });
  const rest = JSON.parse((await traces("list", "--limit", "2", "--after", first.next_after, "--json")).stdout);
  expect(rest.traces).toHaveLength(1);
  const wrong = await traces("list", "--outcome", "perhaps");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("ALLOW")]);
  expect((await traces("list", "--since", "yesterday")).stderr).toContain("--since takes a time");
});

test("shows a trace, and says so when there is none", async () => {
  const shown = await traces("get", blocked.evaluationId);
  expect(shown.stdout).toContain("BLOCK by pii.email of support-bot at ");
  expect(shown.stdout).toContain("support-bot/pii.email: secrets.token in s1 4-24, score 1");
  const json = JSON.parse((await traces("get", blocked.evaluationId, "--json")).stdout);
  expect(json).toMatchObject({ id: blocked.evaluationId, user_id: "u-1", outcome: "BLOCK" });
  expect((await traces("get", newId())).code).toBe(1);
});

test("exports what matches to a file or to standard output", async () => {
  const lines = (await traces("export", "--format", "jsonl", "--user", "u-1")).stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([blocked.evaluationId]);
  const call = traces("export", "--out", "t.csv", "--json");
  const written = JSON.parse((await call).stdout);
  const text = readFileSync(join(call.cwd, "t.csv"), "utf8");
  expect(written).toEqual({ file: "t.csv", format: "csv", bytes: Buffer.byteLength(text) });
  expect(text.trim().split("\r\n")).toHaveLength(4);
  expect((await traces("export", "--json")).code).toBe(2);
});
