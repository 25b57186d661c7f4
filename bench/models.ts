// Models beside the engine: what a busy host of models costs evaluations that ask none, and what a question costs
// beside the run itself. The model is the tiny one of the tests, with layers that take time; other models differ in the
// run only. Percentiles are printed before the table, which has means.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAddon } from "../runtime/model-host/addon.ts";
import { loadModel, type Model } from "../runtime/model-host/model.ts";
import { hasAddon, startModelHost, type TestHost } from "../test/harness/model/model-host.ts";
import { tinyTexts, writeTinyModel } from "../test/harness/model/tiny-model.ts";
import { workLoadTexts } from "./load/bodies.ts";
import { workLoadEngine } from "./load/engine.ts";
import { type Bench, type Case, cpuSecondsOf, measure, type Round } from "./measure.ts";

const layers = 40;
const alone = "engine alone";

/** Times of single operations, in milliseconds, by the name of their case. */
type Times = Map<string, number[]>;

/** Measures models. */
export const modelsBench: Bench = async ({ isQuick }) => {
  if (!hasAddon) {
    console.log("models: the add-on is not installed; npm run setup-models");
    return [];
  }
  const host = await startModelHost((models) => writeTinyModel(join(models, "busy"), { layers }));
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-bench-models-"));
  writeTinyModel(folder, { layers });
  const model = await loadModel(folder, loadAddon());
  const times: Times = new Map();
  const rows = await measure([
    ...engineCases(times, host, isQuick ? 2 : 20),
    ...questionCases(times, host, model, isQuick ? 50 : 500),
  ]);
  for (const [name, found] of times) console.log(`${name}: ${percentiles(found)}`);
  await model.release();
  await host.stop();
  rmSync(folder, { recursive: true });
  return rows;
};

function engineCases(times: Times, host: TestHost, repeats: number): Case[] {
  const evaluate = workLoadEngine();
  const texts = Array.from({ length: repeats }, () => workLoadTexts()).flat();
  const evaluateAll = (name: string) => timedRound(times, name, texts, async (text) => void evaluate(text));
  const busy = "engine, the host of models busy";
  return [
    { name: alone, run: () => evaluateAll(alone) },
    {
      name: busy,
      against: alone,
      run: async () => {
        let isOver = false;
        let count = 0;
        const asking = (async () => {
          while (!isOver) await ask(host, `${tinyTexts.plain} ${"order ".repeat(60)} ${count++}`);
        })();
        const round = await evaluateAll(busy);
        isOver = true;
        await asking;
        return round;
      },
    },
  ];
}

function questionCases(times: Times, host: TestHost, model: Model, count: number): Case[] {
  const texts = Array.from({ length: count }, (_, at) => `${tinyTexts.plain} ${at}`);
  const run = "run of a model, in the same process";
  const asked = "question to the host of models";
  return [
    {
      name: run,
      run: () =>
        timedRound(times, run, texts, async (text) => void (await model.run(model.windowsOf(text).windows[0] ?? []))),
    },
    {
      name: asked,
      against: run,
      run: async () => {
        const { pid = process.pid } = host.supervisor;
        const cpuBefore = cpuSecondsOf(pid);
        const round = await timedRound(times, asked, texts, async (text) => void (await ask(host, text)));
        return { ...round, cpuSeconds: cpuSecondsOf(pid) - cpuBefore };
      },
    },
  ];
}

function ask({ client }: TestHost, text: string) {
  return client.ask({ model: "busy", text, remainingMs: 600_000 });
}

/** Works on each text, in ticks of the event loop of their own, so that it takes what the host says. */
async function timedRound(
  times: Times,
  name: string,
  texts: readonly string[],
  work: (text: string) => Promise<void>,
): Promise<Round> {
  const found = times.get(name) ?? [];
  times.set(name, found);
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  for (const text of texts) {
    const beganAtMs = performance.now();
    await work(text);
    found.push(performance.now() - beganAtMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - startedAtMs) / 1000;
  return { operations: texts.length, seconds, cpuSeconds: (user + system) / 1e6 };
}

function percentiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(3);
  return `median ${at(0.5)} ms, 95 % ${at(0.95)} ms, 99 % ${at(0.99)} ms, of ${sorted.length}`;
}
