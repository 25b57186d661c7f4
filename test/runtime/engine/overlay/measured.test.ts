// The figures in the packs are those that measuring gives: on texts by another author than the terms.

import { describe, expect, it } from "vitest";
import { judge, measure, measuredTexts } from "../../../../bench/languages/measure.ts";
import { readLanguagePacks } from "../../../../runtime/engine/authoring/language-pack/language-pack.ts";
import { isAssurance, reportSample } from "../../../../scripts/assurance/sample.ts";
import { coverageThresholds } from "../../../../src/domain/language/coverage.ts";
import { readLanguageFiles } from "../../../../src/kit/process/language-file.ts";

const packs = readLanguagePacks(readLanguageFiles());

describe("the figures of a pack", () => {
  // The suite measures some languages, an assurance run all of them.
  it("are those that measuring gives", () => {
    const languages = packs
      .map(({ overlay }) => overlay.language)
      .filter((tag) => isAssurance() || /de|fr|th/.test(tag));
    const judged = judge("test", languages);
    const figures = measure(judged);
    const wrong = packs.filter(
      ({ overlay: { language }, coverage }) =>
        languages.includes(language) &&
        JSON.stringify(coverage) !== JSON.stringify(Object.fromEntries(figures.get(language) ?? [])),
    );
    reportSample({ n: judged.length, failures: wrong.length });
    expect(judged.length).toBeGreaterThan(300);
    expect(wrong.map(({ overlay }) => overlay.language)).toEqual([]);
  });

  it("meet every threshold where the pack says that it is measured", () => {
    const { minRecall, maxFalsePositiveRate, positives, negatives } = coverageThresholds;
    const claimed = packs.filter(({ trustLevel }) => trustLevel !== "draft");
    const short = claimed.flatMap(({ overlay, coverage }) =>
      Object.entries(coverage).flatMap(([category, figure]) =>
        figure.recall >= minRecall &&
        figure.false_positive_rate <= maxFalsePositiveRate &&
        figure.positives >= positives &&
        figure.negatives >= negatives
          ? []
          : [`${overlay.language} ${category}`],
      ),
    );
    expect(short).toEqual([]);
  });
});

describe("the texts", () => {
  it("that were read while terms were written are apart from those that count", () => {
    const coreOf = ({ group }: { group: string }) => group.replace(/[fb]$/, "");
    const read = new Set(measuredTexts("dev").map(coreOf));
    expect(read.size).toBeGreaterThan(100);
    expect(measuredTexts("test").filter((text) => read.has(coreOf(text)))).toEqual([]);
  });
});
