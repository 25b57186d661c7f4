import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { drainDelay, type ShutdownStep, shutDown } from "../../../../src/kit/process/shutdown.ts";

const source = (name: string) => fileURLToPath(new URL(`../../../../src/kit/${name}.ts`, import.meta.url));

function capture() {
  const lines: { step?: string; msg: string; level: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: createLog({ name: "test", level: "info", destination }), lines };
}

function step(name: string, run: ShutdownStep["run"], timeoutMs = 1_000): ShutdownStep {
  return { name, timeoutMs, run };
}

test("steps run one after the other in the order given, and each is logged", async () => {
  const { log, lines } = capture();
  const done: string[] = [];
  const steps = ["listener", "worker", "database"].map((name, i) =>
    step(name, async () => {
      await sleep(10 - 5 * i);
      done.push(name);
    }),
  );
  expect(await shutDown({ log, steps })).toBe(0);
  expect(done).toEqual(["listener", "worker", "database"]);
  expect(lines.map((line) => line.step)).toEqual(["listener", "worker", "database", undefined]);
});

test("a step that fails or hangs does not keep the others from running, and the code is 1", async () => {
  const { log, lines } = capture();
  let aborted = false;
  const steps = [
    step("throws", () => {
      throw new Error("no");
    }),
    step(
      "hangs",
      (signal) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            aborted = true;
          });
        }),
      30,
    ),
    step("last", () => undefined),
  ];
  expect(await shutDown({ log, steps })).toBe(1);
  expect(aborted).toBe(true);
  expect(lines.map(({ level, step: name }) => [level, name])).toEqual([
    ["error", "throws"],
    ["error", "hangs"],
    ["info", "last"],
    ["info", undefined],
  ]);
});

test("all steps together keep to the total time", async () => {
  const { log } = capture();
  const hang = (name: string) => step(name, () => new Promise(() => undefined), 10_000);
  const startedAt = performance.now();
  expect(await shutDown({ log, steps: [hang("a"), hang("b"), hang("c")], totalTimeoutMs: 100 })).toBe(1);
  expect(performance.now() - startedAt).toBeLessThan(9_000);
});

test("the drain delay waits for the configured time", async () => {
  const { log } = capture();
  const startedAt = performance.now();
  expect(await shutDown({ log, steps: [drainDelay(60)] })).toBe(0);
  expect(performance.now() - startedAt).toBeGreaterThan(55);
});

// A process of its own, since signals are a process's.
function start(stepMs: number): { child: ChildProcess; lines: string[]; until: (text: string) => Promise<void> } {
  const program = `
    import { createLog } from ${JSON.stringify(source("observability/log"))};
    import { shutDownOnSignal } from ${JSON.stringify(source("process/shutdown"))};
    const keep = setInterval(() => {}, 1000);
    const run = () => new Promise((resolve) => setTimeout(resolve, ${stepMs}));
    shutDownOnSignal({ log: createLog({ name: "child", level: "info" }), steps: [{ name: "work", timeoutMs: 10000, run }] });
    console.log("started");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const until = (text: string) => expect.poll(() => lines.join("\n"), { timeout: 30_000 }).toContain(text);
  return { child, lines, until };
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s runs the steps and exits with 0, its echo from npm included",
  async (signal) => {
    const { child, lines, until } = start(200);
    const exited = once(child, "exit");
    await until("started");
    child.kill(signal);
    await until("shutting down");
    child.kill(signal);
    expect(await exited).toEqual([0, null]);
    expect(lines.join("\n")).toContain('"step":"work"');
  },
);

test("a second signal after a second ends the process at once with 1", async () => {
  const { child, lines, until } = start(9_000);
  const exited = once(child, "exit");
  await until("started");
  child.kill("SIGINT");
  await until("shutting down");
  await sleep(1_050);
  child.kill("SIGINT");
  expect(await exited).toEqual([1, null]);
  expect(lines.join("\n")).not.toContain('"step":"work"');
});
