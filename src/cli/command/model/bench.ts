import type { Model } from "../../../../runtime/model-host/model.ts";
import { defineCommand, integerOf } from "../../command.ts";
import { exitCodes } from "../../failure.ts";
import { columns } from "../../output.ts";
import { openModel } from "./check.ts";

const defaultRuns = 50;

/** `policy-guard model bench`: how long a model takes on this machine. */
export const modelBench = defineCommand({
  name: "model bench",
  summary: "Measure how long the model of a folder takes on this machine.",
  positionals: { label: "<folder>", min: 1, max: 1 },
  options: {
    runs: { type: "string", value: "N", help: `Runs of each length. Default: ${defaultRuns}.` },
  },
  notes: "One run at a time, with one thread each. Set timeout_ms of the backend above the 99th percentile.",
  async run({ positionals: [folder = ""], values, output }) {
    const runs = integerOf(values.runs, "runs", 1) ?? defaultRuns;
    const model = await openModel(folder);
    const found = [];
    for (const tokens of lengthsOf(model)) found.push({ tokens, ...(await measure(model, tokens, runs)) });
    const memoryMegabytes = Math.round(process.memoryUsage().rss / 1024 ** 2);
    await model.release();
    const ms = (value: number) => value.toFixed(1);
    const head = ["tokens", "median ms", "p99 ms", "texts/s"];
    const rows = found.map((row) => [String(row.tokens), ms(row.medianMs), ms(row.p99Ms), ms(1000 / row.medianMs)]);
    for (const line of columns([head, ...rows])) output.line(line);
    output.line(`memory of the process: ${memoryMegabytes} MB`);
    output.json({
      runs,
      memory_megabytes: memoryMegabytes,
      lengths: found.map(({ tokens, medianMs, p99Ms }) => ({ tokens, median_ms: medianMs, p99_ms: p99Ms })),
    });
    return exitCodes.fine;
  },
});

/** 32, 128 and 512 tokens, as far as windows are that long, and the longest. */
function lengthsOf({ settings: { maxTokens } }: Model): number[] {
  return [...[32, 128, 512].filter((length) => length < maxTokens), maxTokens];
}

async function measure(model: Model, tokens: number, runs: number) {
  const [window = []] = model.windowsOf("a ".repeat(tokens * 4)).windows;
  const cut = [...window.slice(0, tokens - 1), ...window.slice(-1)];
  const times: number[] = [];
  for (let count = 0; count < runs; count++) {
    const startedAtMs = performance.now();
    await model.run(cut);
    times.push(performance.now() - startedAtMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { medianMs: at(0.5), p99Ms: at(0.99) };
}
