// The character n-grams of words, hashed to features: those of 2 to 5 characters, the edges of the word included. Words come again
// and again, within a window, in the next one and in other texts, so what is known of the short ones is remembered.

import { featureOf, mix } from "./hash.ts";
import type { SeenFeatures } from "./seen-feature.ts";

const longestPiece = 5;
const salt = 0x1b873593;
const edge = 1;

/** Words that are remembered: a power of two. Those that meet in one place displace each other. */
const places = 1_024;
/** The longest word that is remembered, in units, and the features that it has. */
const longestKnown = 12;
const mostKnown = 4 * longestKnown;

/** Finds the pieces of words. */
export class WordPieces {
  /** Features of remembered words, `mostKnown` places for each. */
  readonly #features = new Int32Array(places * mostKnown);
  readonly #counts = new Uint8Array(places);
  readonly #units = new Uint16Array(places * longestKnown);
  readonly #lengths = new Uint8Array(places);
  /** The window to which a remembered word was last added. */
  readonly #windows = new Float64Array(places);

  /** Adds the pieces of a word to those of a window. A word that was added to it before has nothing to add. */
  addTo(seen: SeenFeatures, units: Uint16Array, length: number, hash: number): void {
    if (length > longestKnown) {
      addPieces(units, length, (feature) => seen.add(feature));
      return;
    }
    const place = hash & (places - 1);
    if (!this.#isKnown(place, units, length)) this.#learn(place, units, length);
    else if (this.#windows[place] === seen.window) return;
    this.#windows[place] = seen.window;
    const first = place * mostKnown;
    seen.addAll(this.#features, first, first + (this.#counts[place] ?? 0));
  }

  #isKnown(place: number, units: Uint16Array, length: number): boolean {
    if (this.#lengths[place] !== length) return false;
    const first = place * longestKnown;
    for (let i = 0; i < length; i++) if (this.#units[first + i] !== units[i]) return false;
    return true;
  }

  #learn(place: number, units: Uint16Array, length: number): void {
    this.#lengths[place] = length;
    this.#units.set(units.subarray(0, length), place * longestKnown);
    const first = place * mostKnown;
    let count = 0;
    addPieces(units, length, (feature) => {
      this.#features[first + count++] = feature;
    });
    this.#counts[place] = count;
  }
}

function addPieces(units: Uint16Array, length: number, add: (feature: number) => void): void {
  for (let i = -1; i < length; i++) {
    let piece = mix(salt, i < 0 ? edge : (units[i] ?? 0));
    for (let place = i + 1; place <= length && place < i + longestPiece; place++) {
      piece = mix(piece, place === length ? edge : (units[place] ?? 0));
      add(featureOf(piece));
    }
  }
}
