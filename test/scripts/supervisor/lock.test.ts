import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeLock } from "../../../scripts/supervisor/lock.ts";
import { processStamp } from "../../../src/kit/process/process-stamp.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the second supervisor of a data folder learns who has it", () => {
  const first = takeLock(folder);
  expect(first).toHaveProperty("release");
  expect(takeLock(folder)).toEqual({ heldBy: process.pid });
});

test("a released lock can be taken again and leaves nothing behind", () => {
  const first = takeLock(folder);
  if ("release" in first) first.release();
  expect(readdirSync(folder)).toEqual([]);
  expect(takeLock(folder)).toMatchObject({ wasStale: false });
});

test("the lock of a killed supervisor is taken over", async () => {
  const child = spawn("sleep", ["60"]);
  writeFileSync(join(folder, "supervisor.lock"), JSON.stringify(processStamp(child.pid ?? 0)));
  expect(takeLock(folder)).toEqual({ heldBy: child.pid });
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(takeLock(folder)).toMatchObject({ wasStale: true });
});

test("a process that reuses the id of the former supervisor does not hold its lock", () => {
  writeFileSync(join(folder, "supervisor.lock"), JSON.stringify({ pid: process.pid, startedAt: "1" }));
  expect(takeLock(folder)).toMatchObject({ wasStale: true });
});

test("a damaged lock is held by nobody", () => {
  writeFileSync(join(folder, "supervisor.lock"), "{");
  expect(takeLock(folder)).toMatchObject({ wasStale: true });
});
