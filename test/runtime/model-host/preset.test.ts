// Presets in the folder of a model: the labels of well-known models, as their `config.json` has them.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { presets } from "../../../runtime/engine/backend/preset-catalog.ts";
import { LoadFailure } from "../../../runtime/model-host/load-failure.ts";
import { type ModelSettings, readSettings } from "../../../runtime/model-host/settings.ts";

/** The labels in the order of their outputs, as the makers of the models wrote them down, and which are no findings. */
const known: Readonly<Record<string, readonly [model: string, labels: string, innocent: string]>> = {
  "prompt-guard": ["meta-llama/Prompt-Guard-86M", "BENIGN INJECTION JAILBREAK", "BENIGN"],
  "prompt-guard-2": ["meta-llama/Llama-Prompt-Guard-2-86M", "LABEL_0 LABEL_1", "LABEL_0"],
  "deberta-prompt-injection": ["protectai/deberta-v3-base-prompt-injection-v2", "SAFE INJECTION", "SAFE"],
  "deepset-injection": ["deepset/deberta-v3-base-injection", "LEGIT INJECTION", "LEGIT"],
  "jailbreak-classifier": ["jackhhao/jailbreak-classifier", "benign jailbreak", "benign"],
  "toxic-bert": ["unitary/toxic-bert", "toxic severe_toxic obscene threat insult identity_hate", ""],
  "unbiased-toxic-roberta": [
    "unitary/unbiased-toxic-roberta",
    "toxicity severe_toxicity obscene identity_attack insult threat sexual_explicit male female homosexual_gay_or_lesbian christian jewish muslim black white psychiatric_or_mental_illness",
    "male female homosexual_gay_or_lesbian christian jewish muslim black white psychiatric_or_mental_illness",
  ],
  "toxicity-classifier": ["s-nlp/roberta_toxicity_classifier", "neutral toxic", "neutral"],
  "roberta-hate-speech": ["facebook/roberta-hate-speech-dynabench-r4-target", "nothate hate", "nothate"],
  "granite-guardian-hap": ["ibm-granite/granite-guardian-hap-38m", "LABEL_0 LABEL_1", "LABEL_0"],
  "text-moderation": ["KoalaAI/Text-Moderation", "H H2 HR OK S S3 SH V V2", "OK"],
};

describe("a preset in the folder of a model", () => {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-preset-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  function settingsOf(labels: readonly string[], own: object, config: object = {}): ModelSettings {
    const id2label = Object.fromEntries(labels.map((label, index) => [index, label]));
    writeFileSync(join(folder, "config.json"), JSON.stringify({ id2label, ...config }));
    writeFileSync(join(folder, "policy-guard.json"), JSON.stringify(own));
    return readSettings(folder);
  }

  function messageOf(labels: readonly string[], own: object): string {
    try {
      settingsOf(labels, own);
    } catch (error) {
      if (error instanceof LoadFailure) return `${error.code}: ${error.message}`;
      throw error;
    }
    return "";
  }

  it("is there for each kind of classifier", () => {
    const classifiers = presets.filter(({ shapes }) => shapes.includes("onnx-text-classification"));
    expect(classifiers.map(({ name }) => name)).toEqual(Object.keys(known));
  });

  it.each(Object.entries(known))("gives every label of its model a meaning (%s)", (preset, [model, all, innocent]) => {
    expect(presets.find(({ name }) => name === preset)?.models).toContain(model);
    const labels = all.split(" ");
    const { categories, ignored } = settingsOf(labels, { preset });
    expect([...ignored].join(" ")).toBe(innocent);
    expect([...categories.keys()].sort()).toEqual(labels.filter((label) => !ignored.has(label)).sort());
  });

  it("says how outputs become scores where labels do not exclude each other", () => {
    const labels = "toxic severe_toxic obscene threat insult identity_hate".split(" ");
    expect(settingsOf(labels, {}).activation).toBe("softmax");
    expect(settingsOf(labels, { preset: "toxic-bert" }).activation).toBe("sigmoid");
    expect(settingsOf(labels, { preset: "toxic-bert", activation: "softmax" }).activation).toBe("softmax");
  });

  it("leaves the last word to the operator", () => {
    const own = { preset: "prompt-guard", labels: { BENIGN: "custom.calm" }, ignore: ["INJECTION"] };
    const { categories, ignored } = settingsOf(["BENIGN", "INJECTION", "JAILBREAK"], own);
    expect([...categories].sort()).toEqual([
      ["BENIGN", "custom.calm"],
      ["JAILBREAK", "injection.jailbreak"],
    ]);
    expect([...ignored]).toEqual(["INJECTION"]);
  });

  it("names the labels that it does not know, until somebody says what they mean", () => {
    const labels = ["SAFE", "INJECTION", "OTHER", "constructor"];
    const preset = "deberta-prompt-injection";
    expect(messageOf(labels, { preset })).toBe(
      "settings_invalid: policy-guard.json, preset: deberta-prompt-injection does not know OTHER, constructor: name them in labels or ignore",
    );
    const named = settingsOf(labels, { preset, ignore: ["OTHER"], labels: { constructor: "injection.other" } });
    expect(named.categories.get("INJECTION")).toBe("injection.model");
  });

  it.each([
    ["nobody", "expected one of prompt-guard, prompt-guard-2, "],
    [7, "expected one of prompt-guard, "],
    ["llama-guard-3", "llama-guard-3 is for servers: llama-guard"],
  ])("is one for models: %s", (preset, message) => {
    expect(messageOf(["SAFE", "INJECTION"], { preset })).toContain(message);
  });
});
