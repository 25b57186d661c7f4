import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { LogStream } from "../../../../src/kit/observability/log-stream.ts";

const folder = mkdtempSync(join(tmpdir(), "policy-guard-log-"));

afterAll(() => rmSync(folder, { recursive: true }));

let pipes = 0;

/** A pipe whose ends do not block. */
function openPipe(): { readonly reader: number; readonly writer: number } {
  const path = join(folder, `pipe-${++pipes}`);
  execFileSync("mkfifo", [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

function readAll(reader: number): string {
  const parts: Buffer[] = [];
  for (;;) {
    const part = Buffer.alloc(1 << 20);
    try {
      const length = readSync(reader, part);
      if (length === 0) break;
      parts.push(part.subarray(0, length));
    } catch {
      break; // nothing there at the moment
    }
  }
  return Buffer.concat(parts).toString();
}

const flushed = (stream: LogStream) => new Promise<void>((resolve) => stream.flush(resolve));

describe("a log's stream", () => {
  it("writes all lines in their order, whole", async () => {
    const path = join(folder, "file");
    const file = openSync(path, "w");
    const stream = new LogStream(file);
    const lines = Array.from({ length: 5_000 }, (_, index) => `${index} ${"ä".repeat(index % 90)}\n`);
    for (const line of lines) stream.write(line);
    await flushed(stream);
    closeSync(file);
    expect(readFileSync(path, "utf8")).toBe(lines.join(""));
  });

  it("keeps lines while nobody reads, drops lines beyond the limit, and says how many", async () => {
    const { reader, writer } = openPipe();
    const stream = new LogStream(writer, { maxBytes: 400_000 });
    const line = `${"x".repeat(999)}\n`;
    for (let count = 0; count < 600; count++) stream.write(line);
    let text = "";
    const isDone = flushed(stream).then(() => true);
    while (!(await Promise.race([isDone, new Promise<false>((resolve) => setTimeout(() => resolve(false), 20))])))
      text += readAll(reader);
    text += readAll(reader);
    closeSync(reader);
    closeSync(writer);
    const lines = text.trimEnd().split("\n");
    const told = lines.filter((each) => each.startsWith("{")).map((each) => JSON.parse(each).lines);
    const kept = lines.filter((each) => each.startsWith("x"));
    expect(kept.every((each) => each.length === 999)).toBe(true);
    expect(told).toHaveLength(1);
    expect(kept.length + told[0]).toBe(600);
    expect(kept.length).toBeGreaterThanOrEqual(399);
  });

  it("writes, at an exit, lines that waited for a slow reader before later lines", async () => {
    const { reader, writer } = openPipe();
    // The pipe is full after the first chunk, and the second waits for longer than the test takes.
    const stream = new LogStream(writer, { retryMs: 600_000 });
    const lines = Array.from({ length: 100 }, (_, index) => `${String(index).padStart(999, "x")}\n`);
    for (const line of lines) stream.write(line);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const before = readAll(reader);
    stream.flushSync();
    const text = before + readAll(reader);
    await flushed(stream);
    expect(text === lines.join("")).toBe(true);
    expect(readAll(reader)).toBe("");
    closeSync(reader);
    closeSync(writer);
  });

  it("drops its lines when its reader is gone", async () => {
    const { reader, writer } = openPipe();
    closeSync(reader);
    const stream = new LogStream(writer);
    stream.write("nobody\n");
    await flushed(stream);
    stream.write("nobody\n");
    stream.flushSync();
    closeSync(writer);
  });

  it("delays an exit by no more than its limit when nobody reads", () => {
    const { reader, writer } = openPipe();
    const stream = new LogStream(writer, { exitMs: 150 });
    for (let count = 0; count < 300; count++) stream.write(`${"x".repeat(999)}\n`);
    const startedAt = performance.now();
    stream.flushSync();
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    closeSync(reader);
    closeSync(writer);
  });
});

// The reader of a process's log goes, and then the process is asked to end.
it.each(["closes", "stops to read"] as const)("a process ends in order when the reader of its log %s", async (what) => {
  const module = (name: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../../../src/kit/${name}.ts`, import.meta.url)));
  const program = `
    import { createLog } from ${module("observability/log")};
    import { shutDownOnSignal } from ${module("process/shutdown")};
    const log = createLog({ name: "child", level: "info" });
    setInterval(() => {}, 1000);
    shutDownOnSignal({ log, steps: [] });
    log.info("started");
    process.stdin.once("data", () => {
      for (let count = 0; count < 2_000; count++) log.info({ text: "x".repeat(100) }, "nobody reads this");
      process.kill(process.pid, "SIGTERM");
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdout.pause();
  if (what === "closes") child.stdout.destroy();
  child.stdin.write("go\n");
  const code = await new Promise((resolve) => child.once("exit", resolve));
  child.stdout.destroy();
  expect(code).toBe(0);
});
