// Laws of overlays: merging does not depend on order or repetition, what is found without an overlay is found with it,
// and a stream finds what the whole text has.

import { toJsonString } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { packEngine } from "../../../../bench/languages/pack-engine.ts";
import { EvaluateResponseSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { type Random, seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { emptySet, merge, mergeOverlays, type OverlaySet } from "../../../../runtime/engine/languages/overlay-set.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { chunksOf, oneOf, streamed, whole } from "../stream/sample-stream.ts";
import { sampleText } from "../stream/sample-text.ts";
import { lostBy } from "./lost-finding.ts";
import { overlayText, randomOverlay } from "./sample-overlay.ts";

const sample = sampleOf({ n: 60, seed: 7 });
const textsPerEngine = 20;

const some = (random: Random) => Array.from({ length: Math.floor(random() * 4) }, () => randomOverlay(random));
const listed = ({ entries, allow }: OverlaySet) => ({ entries: [...entries], allow });

describe("merging overlays", () => {
  it("is associative, commutative and idempotent, and an empty set changes nothing", () => {
    const random = seededRandom(3);
    const runs = Math.max(200, sample.n);
    for (let run = 0; run < runs; run++) {
      const [a, b, c] = [some(random), some(random), some(random)].map(mergeOverlays);
      if (a === undefined || b === undefined || c === undefined) throw new Error("three sets");
      expect(listed(merge(a, b))).toEqual(listed(merge(b, a)));
      expect(listed(merge(merge(a, b), c))).toEqual(listed(merge(a, merge(b, c))));
      expect(listed(merge(a, a))).toEqual(listed(a));
      expect(listed(merge(a, emptySet))).toEqual(listed(a));
    }
    reportSample({ n: runs, failures: 0 });
  });
});

describe("an engine with overlays", () => {
  it("finds what it finds without them, and streams what the whole text has", () => {
    const failures: string[] = [];
    for (let run = 0; run < sample.n; run += textsPerEngine) {
      const random = seededRandom(sample.seed * 1_000_003 + run);
      const overlays = some(random);
      const action = oneOf(["FLAG", "REDACT", "BLOCK"], random);
      const [base, extended] = [packEngine(action, []), packEngine(action, overlays)];
      for (let i = 0; i < textsPerEngine && run + i < sample.n; i++) {
        const text = overlayText(random, sampleText(random));
        const chunks = chunksOf(text, random);
        const got = streamed(extended, chunks);
        const want = whole(extended, text);
        const answers = [got, want].map(({ evaluation }) => toJsonString(EvaluateResponseSchema, evaluation.response));
        const lost = lostBy(whole(base, text), want);
        if (got.released !== want.released || answers[0] !== answers[1] || lost.length > 0)
          failures.push(JSON.stringify({ run: run + i, overlays, action, chunks, lost, answers, got: got.released }));
      }
    }
    reportSample({ n: sample.n, failures: failures.length });
    expect(failures.slice(0, 2)).toEqual([]);
  });
});
