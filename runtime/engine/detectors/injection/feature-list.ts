// Lists the features of single windows, for training and for the few windows whose features are needed beyond their
// weights.

import { unitsOf } from "../../text/code-units.ts";
import { BlockFeatures, eachWordPart, featureOfToken, maxWordLength, windowParts, windowReach } from "./feature.ts";
import { blockLength, blockParts, tokenKinds } from "./token.ts";

/** Collects the features of one window after the other. */
export class FeatureList {
  /** Ordered by part; the next window overwrites them. */
  readonly features: number[] = [];
  /** By part: the number of features up to its end. */
  readonly partEnds = new Int32Array(windowParts);
  readonly #block = new BlockFeatures();

  /** Reads a window; `isFirst` when it is at the beginning of a text. */
  read(text: string, from: number, to: number, isFirst = from === 0): void {
    // Only what the window needs, since the text may be long and have many windows.
    const before = Math.max(0, from - windowReach);
    const units = unitsOf(text.slice(before, to + 1));
    this.features.length = 0;
    this.partEnds.fill(0);
    for (let first = 0; first < windowParts; first += blockParts) {
      const start = from + (first / blockParts) * blockLength;
      if (start < to || first === 0) {
        const end = Math.min(to, start + blockLength);
        this.#block.read(units, start - before, end - before, isFirst && first === 0);
        for (let part = 0; part < blockParts; part++) {
          this.#addPart(part);
          this.partEnds[first + part] = this.features.length;
        }
      } else this.partEnds.fill(this.features.length, first);
    }
  }

  #addPart(part: number): void {
    const { features, ends, firsts, firstCount, tokens } = this.#block;
    for (let at = part === 0 ? 0 : (ends[part - 1] ?? 0); at < (ends[part] ?? 0); at++)
      this.features.push(features[at] ?? 0);
    for (let i = 0; i < firstCount; i++) if (tokens.parts[firsts[i] ?? 0] === part) this.#addToken(firsts[i] ?? 0);
  }

  #addToken(token: number): void {
    const { units, places: slots, lengths, hashes, kinds } = this.#block.tokens;
    this.features.push(featureOfToken(hashes[token] ?? 0));
    const length = lengths[token] ?? 0;
    if (kinds[token] !== tokenKinds.word || length > maxWordLength) return;
    eachWordPart(units, slots[token] ?? 0, length, (feature) => this.features.push(feature));
  }
}
