// The language packs that ship with the product, all of them on: a stream finds what the whole text has, and nothing
// that is found without packs is lost.

import { toJsonString } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { packEngine } from "../../../../bench/languages/pack-engine.ts";
import { EvaluateResponseSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { readLanguagePacks } from "../../../../runtime/engine/authoring/language-pack/language-pack.ts";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { isAssurance, reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { readLanguageFiles } from "../../../../src/kit/process/language-file.ts";
import { chunksOf, oneOf, streamed, whole } from "../stream/sample-stream.ts";
import { sampleText } from "../stream/sample-text.ts";
import { lostBy } from "./lost-finding.ts";

const values: Readonly<Record<string, string>> = {
  PASSPORT: "AB1234567",
  PHONE: "0812 345 6789",
  NATIONAL_ID: "44051401359",
  TAX_ID: "123-456-32-18",
};
/** A word that announces something, with something. */
const withValue = (term: string, entity: string | undefined) =>
  entity === undefined ? term : `${term}: ${values[entity] ?? "12.05.1984"}`;
const sample = sampleOf({ n: 16, seed: 11 });

it("all packs together stream what the whole text has, and lose nothing", () => {
  const packs = readLanguagePacks(readLanguageFiles());
  const overlays = packs.map(({ overlay }) => overlay);
  const phrases = packs.flatMap(({ overlay, tests }) => [
    ...Object.values(overlay.terms).flatMap((terms) => terms.map(({ term, entity }) => withValue(term, entity))),
    ...tests.found.map(({ text }) => text),
    ...tests.not_found,
  ]);
  const engines = (isAssurance() ? ["FLAG", "REDACT", "BLOCK"] : ["REDACT"]).map(
    (action) => [packEngine(action, [], { people: true }), packEngine(action, overlays, { people: true })] as const,
  );
  const failures: string[] = [];
  let found = 0;
  for (let run = 0; run < sample.n; run++) {
    const random = seededRandom(sample.seed * 1_000_003 + run);
    const [base, extended] = oneOf(engines, random);
    const parts = [sampleText(random), oneOf(phrases, random), sampleText(random), oneOf(phrases, random)];
    const text = parts.slice(0, 2 + Math.floor(random() * 3)).join(oneOf([" ", "\n", ". ", ""], random));
    const chunks = chunksOf(text, random);
    const got = streamed(extended, chunks);
    const want = whole(extended, text);
    const answers = [got, want].map(({ evaluation }) => toJsonString(EvaluateResponseSchema, evaluation.response));
    const lost = lostBy(whole(base, text), want);
    if (want.evaluation.findings.length > 0) found += 1;
    if (got.released !== want.released || answers[0] !== answers[1] || lost.length > 0)
      failures.push(JSON.stringify({ run, chunks, lost, answers, got: got.released }));
  }
  reportSample({ n: sample.n, failures: failures.length, figures: { with_findings: found } });
  expect(failures.slice(0, 2)).toEqual([]);
  expect(found).toBeGreaterThan(sample.n / 4);
});
