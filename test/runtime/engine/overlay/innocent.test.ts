// The language packs that ship with the product, all of them on, over the innocent texts of the corpus: hardly anything
// is found in them, and reading them costs little more than without packs. The corpus was written by other authors
// than the packs; a quarter of it talks about attacks without being one.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { packEngine } from "../../../../bench/languages/pack-engine.ts";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { corpusFolder } from "../../../../models/training/row.ts";
import { readLanguagePacks } from "../../../../runtime/engine/authoring/language-pack/language-pack.ts";
import { isAssurance, isSampled, reportSample } from "../../../../scripts/assurance/sample.ts";
import { overlayDocument } from "../../../../src/domain/language/overlay-part.ts";
import { canonicalBytes } from "../../../../src/kit/crypto/canonical.ts";
import { readLanguageFiles } from "../../../../src/kit/process/language-file.ts";
import { withCpuMs } from "../../../harness/cpu-time.ts";
import { finderOf } from "../authoring/language-pack/sample-language.ts";
import { context } from "../stream/sample-stream.ts";

const overlays = readLanguagePacks(readLanguageFiles()).map(({ overlay }) => overlay);
const maxShare = 0.005;
/** The aim is 1.15, which is missed (docs/performance.md): what this holds is that it gets no worse. */
const maxRatio = 1.3;
/** For words of one language in texts of another. */
const maxShareElsewhere = 0.003;
const rows = readdirSync(corpusFolder)
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => readFileSync(join(corpusFolder, name), "utf8").trim().split("\n"))
  .map((line): { text: string; label: string; lang: string } => JSON.parse(line))
  .filter(({ label, text }) => label === "benign" && isSampled(text, 1 / 60));
const texts = rows.map(({ text }) => text);

describe("all packs together", () => {
  it("find next to nothing in innocent texts, and still less by words of another language", () => {
    const find = finderOf(overlays);
    const wrong = rows.filter(({ text }) => find(text).length > 0);
    const elsewhere = [...Map.groupBy(wrong, ({ lang }) => lang)].flatMap(([lang, those]) => {
      const findOthers = finderOf(overlays.filter(({ language }) => language !== lang));
      return those.filter(({ text }) => findOthers(text).length > 0);
    });
    expect(texts.length).toBeGreaterThan(isAssurance() ? 20_000 : 200);
    const failures = [
      wrong.length > maxShare * texts.length,
      elsewhere.length > maxShareElsewhere * texts.length,
    ].filter(Boolean).length;
    const figures = { wrongly_found: wrong.length, by_words_of_another_language: elsewhere.length };
    reportSample({ n: texts.length, failures, figures });
    expect(failures).toBe(0);
  });

  it.runIf(isAssurance())("cost little where they find nothing", () => {
    const find = finderOf(overlays);
    const quiet = texts.filter((text) => find(text).length === 0).slice(0, 4_000);
    const engines = [packEngine("FLAG", [], { people: true }), packEngine("FLAG", overlays, { people: true })];
    const costs = engines.map(() => 0);
    // Side by side in small parts, so that both meet the same machine; the first round only warms up.
    for (let round = 0; round < 6; round++)
      for (let from = 0; from < quiet.length; from += 100) {
        const part = quiet.slice(from, from + 100).map((text) => create(EvaluateRequestSchema, { text }));
        for (const [index, engine] of engines.entries()) {
          const { cpuMs } = withCpuMs(() => {
            for (const request of part) engine.evaluate(request, context);
          });
          if (round > 0) costs[index] = (costs[index] ?? 0) + cpuMs;
        }
      }
    const [without = 1, withPacks = 0] = costs;
    const ratio = withPacks / without;
    const figures = {
      cost_ratio: Math.round(ratio * 1_000) / 1_000,
      microseconds_without: Math.round((1_000 * without) / (5 * quiet.length)),
      overlays_kb: Math.round(shippedBytes() / 1_000),
      compile_ms_without: compileMs([]),
      compile_ms_with: compileMs(overlays),
    };
    reportSample({ n: quiet.length, failures: Number(ratio > maxRatio), figures });
  });
});

/** Bytes of all packs as bundles carry them. */
function shippedBytes(): number {
  return readLanguagePacks(readLanguageFiles(), { checked: true }).reduce(
    (sum, pack) => sum + canonicalBytes(overlayDocument(pack)).length,
    0,
  );
}

/** CPU time of making an engine, the least of seven: the first ones warm up. */
function compileMs(some: typeof overlays): number {
  const times = Array.from({ length: 7 }, () => withCpuMs(() => packEngine("FLAG", some, { people: true })).cpuMs);
  return Math.round(Math.min(...times));
}
