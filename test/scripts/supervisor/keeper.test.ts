import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Running, startChild } from "../../../scripts/supervisor/child.ts";
import { type Kept, keepRunning } from "../../../scripts/supervisor/keeper.ts";
import { isRunning, processStamp } from "../../../src/kit/process/process-stamp.ts";

let folder: string;
let lines: string[];
let kept: Kept | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keeper-"));
  lines = [];
});

afterEach(async () => {
  await kept?.stop(1_000);
  kept = undefined;
  rmSync(folder, { recursive: true, force: true });
});

test("a part that is killed runs again", async () => {
  kept = await keepRunning({ name: "part", start: part("setInterval(() => {}, 1000)"), tell, firstPauseMs: 10 });
  const first = kept.current();
  process.kill(first?.pid ?? 0, "SIGKILL");
  await vi.waitFor(() => expect(kept?.current()?.pid).not.toBe(first?.pid ?? 0), 30_000);
  await vi.waitFor(() => expect(kept?.current()).toBeDefined(), 30_000);
  expect(lines).toEqual(["part ended (SIGKILL); starting it again"]);
});

test("a part that keeps failing is started at growing intervals", async () => {
  const startsMs: number[] = [];
  const start = async (): Promise<Running> => {
    startsMs.push(performance.now());
    return { pid: 0, exited: Promise.resolve("exit code 1"), stop: async () => {} };
  };
  kept = await keepRunning({ name: "part", start, tell, firstPauseMs: 20 });
  await vi.waitFor(() => expect(startsMs.length).toBeGreaterThanOrEqual(5), 30_000);
  const gapsMs = startsMs.slice(1).map((at, index) => at - (startsMs[index] ?? 0));
  for (const [index, leastMs] of [20, 40, 80, 160].entries()) expect(gapsMs[index]).toBeGreaterThan(leastMs - 3);
});

test("a start that fails is reported and tried again", async () => {
  let starts = 0;
  const start = async (): Promise<Running> => {
    starts += 1;
    if (starts === 2) throw new Error("no room");
    if (starts === 1) return { pid: 0, exited: Promise.resolve("SIGKILL"), stop: async () => {} };
    return part("setInterval(() => {}, 1000)")();
  };
  kept = await keepRunning({ name: "part", start, tell, firstPauseMs: 1 });
  await vi.waitFor(() => expect(kept?.current()).toBeDefined(), 30_000);
  expect(lines).toContain("part could not be started: no room");
});

test("a stopped part drains, and is not started again", async () => {
  const drains = `process.on("SIGTERM", () => { console.log("drained"); process.exit(0); }); setInterval(() => {}, 1000);`;
  kept = await keepRunning({ name: "part", start: part(`${drains} console.log("up");`), tell });
  await vi.waitFor(() => expect(log()).toContain("up"), 30_000);
  await kept.stop(5_000);
  expect(log()).toContain("drained");
  expect(lines).toEqual([]);
});

test("a part that does not end in time is killed", async () => {
  const stubborn = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up");`;
  kept = await keepRunning({ name: "part", start: part(stubborn), tell });
  await vi.waitFor(() => expect(log()).toContain("up"), 30_000);
  const stamp = processStamp(kept.current()?.pid ?? 0);
  await kept.stop(200);
  expect(isRunning(stamp)).toBe(false);
});

test("children end by themselves when their supervisor is killed", async () => {
  const supervisor = `
    import { startChild } from ${JSON.stringify(new URL("../../../scripts/supervisor/child.ts", import.meta.url).href)};
    const child = await startChild(${JSON.stringify(childOptions("setInterval(() => {}, 1000)"))});
    console.log(child.pid);`;
  writeFileSync(join(folder, "supervisor.ts"), supervisor);
  const outer = await startChild({
    ...childOptions(""),
    script: join(folder, "supervisor.ts"),
    logFile: join(folder, "outer.log"),
  });
  const childPid = await vi.waitFor(() => {
    const pid = Number(readFileSync(join(folder, "outer.log"), "utf8"));
    expect(pid).toBeGreaterThan(0);
    return pid;
  }, 30_000);
  const child = processStamp(childPid);
  process.kill(outer.pid, "SIGKILL");
  await vi.waitFor(() => expect(isRunning(child)).toBe(false), 30_000);
});

function tell(line: string): void {
  lines.push(line);
}

function part(source: string): () => Promise<Running> {
  const options = childOptions(source);
  return () => startChild(options);
}

function childOptions(source: string) {
  const script = join(folder, "part.ts");
  writeFileSync(script, source);
  return { script, root: folder, env: { PATH: process.env.PATH }, logFile: join(folder, "part.log") };
}

function log(): string {
  return readFileSync(join(folder, "part.log"), "utf8");
}
