// 64 KB of hostile text against 64 KB of the texts of W: what the worst input costs.

import { workLoadTexts } from "./load/bodies.ts";
import { workLoadEngine } from "./load/engine.ts";
import { hostileTexts } from "./load/hostile.ts";
import { type Bench, type Case, measure, timed } from "./measure.ts";

const length = 64 * 1024;
const textsPerRound = 4;
const ordinary = "texts of W, 64 KB";

/** Measures evaluations of hostile text. */
export const hostileBench: Bench = () => {
  const evaluate = workLoadEngine();
  const texts = workLoadTexts({ count: textsPerRound, sizeBytes: length });
  const hostile = Object.entries(hostileTexts).map(
    ([name, make]): Case => ({
      name,
      against: ordinary,
      run: () => {
        const fresh = Array.from({ length: textsPerRound }, () => make(length));
        return timed(fresh, 1, evaluate);
      },
    }),
  );
  return measure([{ name: ordinary, run: () => timed(texts, 1, evaluate) }, ...hostile]);
};
