// Random choices that are the same in every run.

import { randomOf } from "../../../models/training/random.ts";
import { digits } from "./alphabet.ts";

/** Chooses. */
export interface Draw {
  readonly below: (limit: number) => number;
  readonly of: <T>(list: readonly T[]) => T;
  readonly digits: (count: number) => string;
  /** So many characters of an alphabet. */
  readonly text: (alphabet: string, count: number) => string;
}

/** A source of choices. */
export function drawOf(seed: number): Draw {
  const random = randomOf(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const text = (alphabet: string, count: number): string =>
    Array.from({ length: count }, () => alphabet[below(alphabet.length)]).join("");
  return {
    below,
    of: (list) => {
      const found = list[below(list.length)];
      if (found === undefined) throw new Error("nothing to choose from");
      return found;
    },
    digits: (count) => text(digits, count),
    text,
  };
}
