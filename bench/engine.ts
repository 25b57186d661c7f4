// The engine alone against a plain loop of RegExp and indexOf over the same phrases and patterns: those of W and those
// of the built-in detectors that the policy of W uses. What else the engine does (check digits, scores, conditions,
// decisions, redaction) the loop does not.

import { builtIns } from "../runtime/engine/detectors/built-in.ts";
import { workLoadTexts } from "./load/bodies.ts";
import { workLoadEngine } from "./load/engine.ts";
import { patterns } from "./load/patterns.ts";
import { phrases } from "./load/policy.ts";
import { type Bench, type Case, measure, timed } from "./measure.ts";

/** Measures the engine. */
export const engineBench: Bench = () => {
  const small = workLoadTexts();
  const large = workLoadTexts({ count: 8, sizeBytes: 64_000 });
  const misses = small.filter((_, index) => index % 4 === 0);
  const few = "engine, 1 KB without hits";
  return measure([
    ...pair("1 KB", small, { loop: 1, engine: 40 }),
    ...pair("64 KB", large, { loop: 1, engine: 10 }),
    engineCase(few, misses, { repeats: 80, patternCount: 300 }),
    engineCase(`${few}, 3,000 patterns`, misses, { repeats: 80, patternCount: 3000, against: few }),
  ]);
};

function pair(size: string, texts: readonly string[], repeats: { loop: number; engine: number }): Case[] {
  const loop = `plain loop, ${size}`;
  return [
    loopCase(loop, texts, repeats.loop),
    engineCase(`engine, ${size}`, texts, { repeats: repeats.engine, patternCount: 300, against: loop }),
  ];
}

function loopCase(name: string, texts: readonly string[], repeats: number): Case {
  const regexes = [
    ...patterns().map((source) => new RegExp(source.replace("(?i)", ""), source.startsWith("(?i)") ? "gi" : "g")),
    ...builtIns().map(({ source, bits }) => new RegExp(inV8(source), bits === 0 ? "g" : "gi")),
  ];
  const needles = phrases();
  return {
    name,
    run: () =>
      timed(texts, repeats, (text) => {
        let hits = 0;
        const folded = text.toLowerCase();
        for (const needle of needles) if (folded.includes(needle)) hits++;
        for (const regex of regexes) for (const _ of text.matchAll(regex)) hits++;
        return hits;
      }),
  };
}

/** RE2 writes code points in braces. */
function inV8(source: string): string {
  return source.replace(/\\x\{([0-9a-f]{4})\}/g, "\\u$1");
}

function engineCase(
  name: string,
  texts: readonly string[],
  { repeats, patternCount, against }: { repeats: number; patternCount: number; against?: string },
): Case {
  const evaluate = workLoadEngine(patternCount);
  return { name, against, run: () => timed(texts, repeats, evaluate) };
}
