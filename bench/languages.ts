// What all language packs cost where they find nothing: the same innocent texts of the corpus by the same policy with
// packs and without, in English, for which most is known, and in the other languages. The corpus was written by other
// authors than the packs.

import { create } from "@bufbuild/protobuf";
import { EvaluateRequestSchema } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { hashOf, type Row, readCorpus } from "../models/training/row.ts";
import { readLanguagePacks } from "../runtime/engine/authoring/language-pack/language-pack.ts";
import type { Engine } from "../runtime/engine/engine.ts";
import { readLanguageFiles } from "../src/kit/process/language-file.ts";
import { packEngine } from "./languages/pack-engine.ts";
import { benchContext } from "./load/engine.ts";
import { type Bench, type Case, measure, timed } from "./measure.ts";

/** Measures evaluations with all language packs. */
export const languagesBench: Bench = ({ isQuick }) => {
  const overlays = readLanguagePacks(readLanguageFiles()).map(({ overlay }) => overlay);
  const [without, withAll] = [[], overlays].map((some) => packEngine("FLAG", some, { people: true }));
  if (without === undefined || withAll === undefined) throw new Error("two engines");
  const count = isQuick ? 200 : 2_000;
  const quiet = readCorpus()
    .filter(({ isAttack, text }) => !isAttack && findingsIn(withAll, text) === findingsIn(without, text))
    .sort((a, b) => hashOf(a.id) - hashOf(b.id));
  const texts = (isMeant: (row: Row) => boolean) =>
    quiet
      .filter(isMeant)
      .slice(0, count)
      .map(({ text }) => text);
  return measure([
    ...pair(
      "English",
      texts(({ lang }) => lang === "en"),
      without,
      withAll,
    ),
    ...pair(
      "other languages",
      texts(({ lang }) => lang !== "en"),
      without,
      withAll,
    ),
  ]);
};

function pair(kind: string, texts: readonly string[], without: Engine, withAll: Engine): Case[] {
  const against = `without packs, ${kind}`;
  return [
    { name: against, run: () => timed(texts, 1, (text) => findingsIn(without, text)) },
    { name: `all packs, ${kind}`, against, run: () => timed(texts, 1, (text) => findingsIn(withAll, text)) },
  ];
}

function findingsIn(engine: Engine, text: string): number {
  return engine.evaluate(create(EvaluateRequestSchema, { text }), { ...benchContext, stage: Stage.OUTPUT }).findings
    .length;
}
