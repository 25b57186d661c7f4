// One model: loaded in an order in which each step trusts only what the steps before have checked, and tested by the
// operator's own examples before it judges anything. A tokenizer that is nearly right gives scores that are wrong, and
// nothing else would say so.

import { join } from "node:path";
import type { Addon, Session, Tokenizer, ValueMetadata } from "./addon.ts";
import { externalLocations } from "./external-data.ts";
import { digestOf, filesOf, readJson } from "./folder.ts";
import { LoadFailure } from "./load-failure.ts";
import { type Fixture, type ModelSettings, readSettings } from "./settings.ts";
import { type SpecialTokens, specialTokensOf, type Windows, windowsOf } from "./windows.ts";

/** A loaded model. */
export interface Model {
  readonly digest: string;
  readonly settings: ModelSettings;
  readonly windowsOf: (text: string) => Windows;
  /** How long windows of some lengths took before the first question. */
  readonly warmUps: readonly { readonly tokens: number; readonly ms: number }[];
  /** The score of each label for one window, in the order of the labels. */
  readonly run: (window: readonly number[]) => Promise<number[]>;
  readonly release: () => Promise<void>;
}

const inputs = ["input_ids", "attention_mask", "token_type_ids"];
const graphFile = "model.onnx";
/** The lengths of the windows to warm up with, as shares of the longest. */
const warmUpShares = [0.05, 0.5, 1];

/** Loads the model of a folder. Throws a LoadFailure. */
export async function loadModel(folder: string, { onnx, tokenizers }: Addon): Promise<Model> {
  const files = filesOf(folder);
  const names = new Set(files.map(({ path }) => path));
  for (const needed of [graphFile, "tokenizer.json", "config.json"])
    if (!names.has(needed)) throw new LoadFailure("file_missing", `${needed} is missing`);
  const digest = await digestOf(folder, files);
  const settings = readSettings(folder);
  const tokenizer = readTokenizer(folder, tokenizers);
  const special = specialTokensOf(tokenizer);
  for (const location of externalLocations(join(folder, graphFile)))
    if (!names.has(location))
      throw new LoadFailure(
        "external_data_refused",
        `${graphFile} keeps weights in ${JSON.stringify(location)}, which is no file of the folder`,
      );
  const session = await openSession(join(folder, graphFile), onnx);
  try {
    const run = runnerOf(session, { onnx, settings });
    await testFixtures({ settings, tokenizer, run });
    const warmUps: { tokens: number; ms: number }[] = [];
    for (const share of warmUpShares) {
      const window = fillWindow(Math.round(settings.maxTokens * share), tokenizer, special);
      const startedAtMs = performance.now();
      await run(window);
      warmUps.push({ tokens: window.length, ms: performance.now() - startedAtMs });
    }
    return {
      ...{ digest, settings, run, warmUps },
      windowsOf: (text) => windowsOf(text, tokenizer, special, settings),
      release: () => session.release(),
    };
  } catch (error) {
    await session.release();
    throw error;
  }
}

function readTokenizer(folder: string, { Tokenizer }: Addon["tokenizers"]): Tokenizer {
  const json = readJson(folder, "tokenizer.json") ?? {};
  const config = readJson(folder, "tokenizer_config.json") ?? {};
  try {
    const tokenizer = new Tokenizer(json, config);
    tokenizer.encode("a", { add_special_tokens: true });
    return tokenizer;
  } catch (cause) {
    throw new LoadFailure("tokenizer_invalid", `tokenizer.json: ${messageOf(cause)}`, { cause });
  }
}

async function openSession(path: string, { InferenceSession }: Addon["onnx"]): Promise<Session> {
  try {
    return await InferenceSession.create(path, {
      executionProviders: ["cpu"],
      // Several threads for one run were slower than one, and they would compete with evaluations.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: "sequential",
      logSeverityLevel: 4,
    });
  } catch (cause) {
    throw new LoadFailure("graph_invalid", `${graphFile}: ${messageOf(cause)}`, { cause });
  }
}

/** The function that runs a window. Throws a LoadFailure for a graph with other inputs or outputs. */
function runnerOf(
  session: Session,
  { onnx, settings }: { readonly onnx: Addon["onnx"]; readonly settings: ModelSettings },
): Model["run"] {
  const strange = session.inputNames.find((name) => !inputs.includes(name));
  if (strange !== undefined || !session.inputNames.includes("input_ids"))
    throw new LoadFailure(
      "graph_invalid",
      `${graphFile}: expected inputs among ${inputs.join(", ")}, got ${session.inputNames.join(", ")}`,
    );
  const notInt64 = session.inputMetadata.find(({ type }) => type !== "int64");
  if (notInt64 !== undefined) throw new LoadFailure("graph_invalid", `${graphFile}: ${notInt64.name} is not int64`);
  const output = outputOf(session.outputMetadata, settings.labels.length);
  return async (window) => {
    const dims = [1, window.length];
    const tensor = (value: (id: number) => number) =>
      new onnx.Tensor(
        "int64",
        BigInt64Array.from(window, (id) => BigInt(value(id))),
        dims,
      );
    const values: Readonly<Record<string, (id: number) => number>> = {
      input_ids: (id) => id,
      attention_mask: () => 1,
      token_type_ids: () => 0,
    };
    const feeds = session.inputNames.map((name) => [name, tensor(values[name] ?? (() => 0))] as const);
    const found = await session.run(Object.fromEntries(feeds));
    const { data } = found[output] ?? {};
    if (!(data instanceof Float32Array) || data.length !== settings.labels.length)
      throw new LoadFailure("graph_invalid", `${graphFile}: expected ${settings.labels.length} numbers as its output`);
    const scores = activate([...data], settings.activation);
    if (!scores.every(Number.isFinite)) throw new Error("the model answered something that is no number");
    return scores;
  };
}

function outputOf(outputs: readonly ValueMetadata[], labels: number): string {
  const [output] = outputs;
  if (outputs.length !== 1 || output === undefined || output.type !== "float32" || output.shape?.length !== 2)
    throw new LoadFailure("graph_invalid", `${graphFile}: expected one output of float32, [batch, labels]`);
  const count = output.shape[1];
  if (typeof count === "number" && count !== labels)
    throw new LoadFailure("labels_mismatch", `${graphFile} has ${count} outputs, and config.json ${labels} labels`);
  return output.name;
}

/** Scores of what the graph says. Softmax: of all labels one. Sigmoid: each label by itself. */
export function activate(logits: readonly number[], activation: ModelSettings["activation"]): number[] {
  if (activation === "sigmoid") return logits.map((logit) => 1 / (1 + Math.exp(-logit)));
  const max = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - max));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

async function testFixtures({
  settings: { fixtures, labels },
  tokenizer,
  run,
}: {
  readonly settings: ModelSettings;
  readonly tokenizer: Tokenizer;
  readonly run: Model["run"];
}): Promise<void> {
  for (const fixture of fixtures) {
    const { ids } = tokenizer.encode(fixture.text, { add_special_tokens: true });
    if (ids.join() !== fixture.ids.join())
      throw mismatch(fixture, `tokens are ${shown(ids)}, expected ${shown(fixture.ids)}`);
    const scores = await run(ids);
    for (const [label, expected] of Object.entries(fixture.scores)) {
      const score = scores[labels.indexOf(label)] ?? Number.NaN;
      if (!(Math.abs(score - expected) <= fixture.tolerance))
        throw mismatch(fixture, `${label} is ${score.toFixed(4)}, expected ${expected} ± ${fixture.tolerance}`);
    }
  }
}

function mismatch({ text }: Fixture, what: string): LoadFailure {
  return new LoadFailure("fixture_mismatch", `the fixture ${JSON.stringify(text.slice(0, 40))}: ${what}`);
}

function shown(ids: readonly number[]): string {
  return `[${ids.slice(0, 12).join(", ")}${ids.length > 12 ? ", …" : ""}]`;
}

/** A window of about this many tokens, to warm up with. */
function fillWindow(count: number, tokenizer: Tokenizer, { before, after }: SpecialTokens): number[] {
  const [token = 0] = tokenizer.encode("a", { add_special_tokens: false }).ids;
  const room = Math.max(1, count - before.length - after.length);
  return [...before, ...Array.from({ length: room }, () => token), ...after];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
