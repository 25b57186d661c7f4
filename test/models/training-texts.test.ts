// The hashes by which samples of datasets are recognized that a shipped model has learned. Public texts are not in the
// repository, so that only its own can be looked up.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { safetyFolder } from "../../models/training/content-safety.ts";
import { linesIn, ownTrainingTexts } from "../../models/training/own-text.ts";
import { corpusFolder, isHeldOut } from "../../models/training/row.ts";
import { shippedTrainingTexts } from "../../src/domain/measure/dataset/training-text.ts";
import { comparableText } from "../../src/kit/crypto/text-hash.ts";

describe("the hashes of the texts that models were trained on", () => {
  const trained = shippedTrainingTexts();
  const own = new Set(ownTrainingTexts().map(comparableText));
  const isTrained = (text: string) => trained.has(comparableText(text));

  it("have every text of the repository that a model has learned", () => {
    expect([...own].filter((text) => text !== "" && !trained.has(text)).slice(0, 3)).toEqual([]);
  });

  it("have texts of every file of both folders, and none that only groups held out have", () => {
    for (const [folder, least] of [
      [corpusFolder, 40_000],
      [safetyFolder, 5_000],
    ] as const) {
      const lines = linesIn(folder);
      expect(lines.filter(({ text }) => isTrained(text)).length).toBeGreaterThan(least);
      const unseen = lines.filter((line) => isHeldOut(line) && !own.has(comparableText(line.text)));
      expect(unseen.length).toBeGreaterThan(least / 100);
      // Public texts may say the same.
      const share = unseen.filter(({ text }) => isTrained(text)).length / unseen.length;
      expect(share).toBeLessThan(0.01);
    }
  });

  it("have the public texts too, which are most of them", () => {
    const bytes = readFileSync(new URL("../../models/training-texts.hashes", import.meta.url));
    expect(bytes.length / 8 - own.size).toBeGreaterThan(60_000);
  });
});
