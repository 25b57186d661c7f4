// Measures what language packs find: `npx node bench/languages/measure.ts` prints a table of languages and categories,
// with all packs on. The texts are by another author than the terms. Those of `safety.dev.jsonl` were read while terms
// were written; those of `safety.test.jsonl` were not, and only they count. `--write` puts the figures into the packs,
// `--dev` measures the former, and `--missed weapons` prints what was missed and wrongly found of a category there.

import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  categoriesOf,
  type LanguageMeasure,
  readLanguagePacks,
} from "../../runtime/engine/authoring/language-pack/language-pack.ts";
import { compileEngine } from "../../runtime/engine/engine.ts";
import type { EvaluationContext } from "../../runtime/engine/evaluate/context.ts";
import type { Overlay } from "../../runtime/engine/languages/overlay.ts";
import { parsePolicy } from "../../runtime/engine/policy/parse.ts";
import { readLanguageFiles } from "../../src/kit/process/language-file.ts";
import { shippedModels } from "../../src/kit/process/model-file.ts";

/** A text, with the category that has to be found in it, if any. */
export interface MeasuredText {
  readonly text: string;
  readonly lang: string;
  readonly category?: string;
  readonly group: string;
  /** Which collection it is from: safety has innocent texts beside each category, attacks beside attacks. */
  readonly set: "safety" | "attacks";
}

/** The measured categories, each with the detector that takes it. */
const detectors: Readonly<Record<string, string>> = {
  injection: "{use: injection}",
  toxicity: "{use: toxicity}",
  self_harm: "{use: self_harm}",
  sexual: "{use: keywords, from_packs: [sexual]}",
  violence: "{use: keywords, from_packs: [violence]}",
  weapons: "{use: keywords, from_packs: [weapons]}",
  drugs: "{use: keywords, from_packs: [drugs]}",
};

/** The categories that are measured. */
export const measuredCategories: readonly string[] = Object.keys(detectors);

const context: EvaluationContext = {
  stage: Stage.INPUT,
  now: new Date(0),
  evaluationId: "00000000-0000-4000-8000-000000000000",
  fingerprintKey: new Uint8Array(32),
  bundle: create(BundleReferenceSchema, { version: 1, digest: "sha256:00", activationSeq: 1 }),
  elapsedUs: () => 0,
};

/** The texts of a part. */
export function measuredTexts(part: "dev" | "test"): MeasuredText[] {
  const lines = readFileSync(join(import.meta.dirname, `safety.${part}.jsonl`), "utf8")
    .trim()
    .split("\n");
  return lines.map((line): MeasuredText => JSON.parse(line));
}

/** Says which of the measured categories are found in a text while all overlays are on. */
export function categoryFinder(overlays: readonly Overlay[]): (text: string) => ReadonlySet<string> {
  const source = [
    ...["apiVersion: policyguard/v1", "kind: Policy", "metadata: {name: measure}", "detectors:"],
    ...Object.entries(detectors).map(([name, detector]) => `  ${name}: ${detector}`),
    "rules:",
    ...measuredCategories.map((name) => `  - {id: ${name}, stages: [input], detect: ${name}, action: FLAG}`),
  ].join("\n");
  const { policy, problems } = parsePolicy(source);
  if (policy === undefined) throw new Error(JSON.stringify(problems));
  const scope = { tenantId: "t", appId: "*", agentId: "*", env: "*" };
  const policies = [{ policyId: "p", name: "p", version: 1, scope, document: policy }];
  const engine = compileEngine({ policies, environment: "prod", projectId: "p", models: shippedModels(), overlays });
  return (text) =>
    new Set(engine.evaluate(create(EvaluateRequestSchema, { text }), context).findings.map(({ ruleId }) => ruleId));
}

/** A text with what was found in it. */
interface Judged {
  readonly text: MeasuredText;
  readonly found: ReadonlySet<string>;
}

/** The figures by language and category: of the categories that a pack has and texts were written for. */
export function measure(judged: readonly Judged[]): Map<string, Map<string, LanguageMeasure>> {
  const packs = new Map(readLanguagePacks(readLanguageFiles()).map(({ overlay }) => [overlay.language, overlay]));
  const byLanguage = Map.groupBy(judged, ({ text }) => text.lang);
  return new Map(
    [...byLanguage]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([language, list]) => {
        const overlay = packs.get(language);
        const own = overlay === undefined ? [] : categoriesOf(overlay);
        const measured = measuredCategories.filter((category) => own.includes(category));
        const figures = measured.flatMap((category): [string, LanguageMeasure][] => {
          const set = category === "injection" ? "attacks" : "safety";
          const positives = list.filter(({ text }) => text.category === category);
          const negatives = list.filter(({ text }) => text.category === undefined && text.set === set);
          if (positives.length === 0) return [];
          const share = (those: readonly Judged[]) =>
            rounded(those.filter(({ found }) => found.has(category)).length / Math.max(1, those.length));
          const counts = { positives: positives.length, negatives: negatives.length };
          return [[category, { recall: share(positives), false_positive_rate: share(negatives), ...counts }]];
        });
        return [language, new Map(figures)] as const;
      }),
  );
}

/** The texts of a part with what the packs that ship find in them. */
export function judge(part: "dev" | "test", languages?: readonly string[]): Judged[] {
  const find = categoryFinder(readLanguagePacks(readLanguageFiles()).map(({ overlay }) => overlay));
  const texts = measuredTexts(part).filter(({ lang }) => languages === undefined || languages.includes(lang));
  return texts.map((text) => ({ text, found: find(text.text) }));
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}

function coverageText(figures: ReadonlyMap<string, LanguageMeasure>): string {
  const lines = [...figures].map(([category, { recall, false_positive_rate, positives, negatives }]) => {
    const counts = `positives: ${positives}, negatives: ${negatives}`;
    return `  ${category}: {recall: ${recall}, false_positive_rate: ${false_positive_rate}, ${counts}}\n`;
  });
  return `coverage:\n${lines.join("")}`;
}

function writeCoverage(figures: ReadonlyMap<string, ReadonlyMap<string, LanguageMeasure>>): void {
  for (const { path, text } of readLanguageFiles()) {
    const own = figures.get(basename(path, ".yaml"));
    if (own === undefined) continue;
    const bare = text.replace(/^coverage:\n(?: {2}.*\n)*/m, "");
    writeFileSync(
      path,
      bare.replace(/^tests:\n/m, () => `${coverageText(own)}tests:\n`),
    );
  }
}

function printMissed(judged: readonly Judged[], category: string): void {
  for (const { text, found } of judged) {
    const isWanted = text.category === category;
    if (isWanted === found.has(category) || (!isWanted && text.category !== undefined)) continue;
    console.log(`${isWanted ? "missed" : "wrong "} ${text.group}: ${text.text.slice(0, 200).replaceAll("\n", " / ")}`);
  }
}

if (process.argv[1] === import.meta.filename) {
  const judged = judge(process.argv.includes("--dev") ? "dev" : "test");
  const missed = process.argv.indexOf("--missed");
  if (missed > 0 && process.argv.includes("--dev")) printMissed(judged, process.argv[missed + 1] ?? "");
  const figures = measure(judged);
  if (process.argv.includes("--write") && !process.argv.includes("--dev")) writeCoverage(figures);
  for (const [language, own] of figures)
    for (const [category, { recall, false_positive_rate, positives, negatives }] of own)
      console.log([language, category, recall, positives, false_positive_rate, negatives].join("\t"));
}
