import { standingTexts } from "../../../../runtime/engine/backend/preset.ts";
import { loadAddon } from "../../../../runtime/model-host/addon.ts";
import { LoadFailure } from "../../../../runtime/model-host/load-failure.ts";
import { loadModel, type Model } from "../../../../runtime/model-host/model.ts";
import { defineCommand } from "../../command.ts";
import { exitCodes, Failure, fileFailure, refusal } from "../../failure.ts";
import { columns, shown } from "../../output.ts";

/** `policy-guard model check`: whether a runtime would take this folder, and what its model says about texts. */
export const modelCheck = defineCommand({
  name: "model check",
  summary: "Load the model of a folder as a runtime would, and run its fixtures.",
  positionals: { label: "<folder>", min: 1, max: 1 },
  options: {
    text: { type: "string", value: "TEXT", help: "Also show the tokens and scores of this text." },
  },
  notes:
    "Without fixtures a wrong tokenizer is not noticed: take texts, tokens and scores from the tools that the model was made with, and write them into policy-guard.json.",
  async run({ positionals: [folder = ""], values: { text }, output }) {
    const model = await openModel(folder);
    const { digest, settings, warmUps } = model;
    const { preset } = settings;
    const judged = text === undefined ? undefined : await judge(model, text);
    const rows = [
      ["digest", digest],
      ...(preset === undefined ? [] : [["preset", `${preset.name} (${standingTexts[preset.standing]})`]]),
      ["labels", settings.labels.map((label) => labelText(label, model)).join(", ")],
      ["scores", settings.activation],
      ["windows", `${settings.maxWindows} of ${settings.maxTokens} tokens, ${settings.stride} in common`],
      ["fixtures", settings.fixtures.length === 0 ? "none" : `${settings.fixtures.length} passed`],
      ...warmUps.map(({ tokens, ms }) => [`${tokens} tokens`, `${ms.toFixed(1)} ms`]),
      ...(judged === undefined ? [] : [["tokens", judged.ids.map((ids) => `[${ids.join(", ")}]`).join(" ")]]),
      ...Object.entries(judged?.scores ?? {}).map(([label, score]) => [label, score.toFixed(4)]),
    ];
    for (const line of columns(rows.map((row) => row.map((cell) => shown(cell))))) output.line(line);
    if (settings.fixtures.length === 0) output.note("without fixtures nothing says whether the tokenizer is right");
    output.json({
      ...{ digest, labels: [...settings.labels], activation: settings.activation },
      preset: preset?.name ?? null,
      fixtures: settings.fixtures.length,
      ...(judged === undefined ? {} : { ids: judged.ids, scores: judged.scores }),
    });
    await model.release();
    return exitCodes.fine;
  },
});

/** Loads a model, or fails as the command does. */
export async function openModel(folder: string): Promise<Model> {
  // Before native code is loaded: later releases of the library look at it.
  process.env.ORT_DISABLE_TELEMETRY = "1";
  const addon = (() => {
    try {
      return loadAddon();
    } catch (cause) {
      throw new Failure(exitCodes.usage, "addon_missing", cause instanceof Error ? cause.message : "", { cause });
    }
  })();
  try {
    return await loadModel(folder, addon);
  } catch (error) {
    if (error instanceof LoadFailure) throw refusal(error.code, `${folder}: ${error.message}`);
    throw fileFailure(folder, error);
  }
}

function labelText(label: string, { settings: { ignored, categories } }: Model): string {
  if (ignored.has(label)) return `${label} (ignored)`;
  const category = categories.get(label);
  return category === undefined ? label : `${label} (${category})`;
}

async function judge({ windowsOf, run, settings: { labels } }: Model, text: string) {
  const { windows } = windowsOf(text);
  const scores = await Promise.all(windows.map((window) => run(window)));
  const highest = labels.map((label, index): [string, number] => [
    label,
    Math.max(...scores.map((each) => each[index] ?? 0)),
  ]);
  return { ids: windows.map((window) => [...window]), scores: Object.fromEntries(highest) };
}
