// `npm run record-examples`: plays the tests that examples of the API are taken from, and writes examples/api.json.
// Each example was really asked and answered; ids, times and secrets are made up, so that a run changes nothing but
// what the API changed.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordedExample } from "../gateway/openapi/recorded.ts";
import { examplesFile, examplesVariable } from "./examples/file.ts";

const folder = mkdtempSync(join(tmpdir(), "policy-guard-examples-"));
try {
  const report = join(folder, "examples.jsonl");
  writeFileSync(report, "");
  const env = { ...process.env, [examplesVariable]: report };
  const files = ["test/vectors.test.ts", "test/evaluate-vectors.test.ts", "test/runtime/stream/http-stream.test.ts"];
  const { status } = spawnSync("vitest", ["run", ...files], { env, stdio: "inherit" });
  if (status !== 0) throw new Error("tests fail; no example was written");
  const lines = readFileSync(report, "utf8").trim().split("\n");
  const calls = lines.map((line): { method: string; example: RecordedExample } => JSON.parse(line));
  const sorted = calls
    .toSorted((a, b) => (a.method < b.method ? -1 : 1))
    .map(({ method, example }) => [method, example]);
  writeFileSync(examplesFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  console.log(`examples/api.json: ${sorted.length} examples; next: npm run generate`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
