// Normalises a growing text (NFKC without invisible characters, see normalize.ts) cluster by cluster. The last cluster
// waits, since a combining mark that is still to come may join it.

import { joinsPrevious, normalClusters, normalize, normalizeVisible, pointAround } from "../text/normalize.ts";
import { isPairInside } from "../text/offset.ts";

/** The text that a chunk made final. */
export interface NormalStep {
  /** Final text, as given and normalised. */
  readonly given: string;
  readonly normal: string;
  /** By unit of `normal`: the offsets in `given` where it begins and ends; undefined when both texts are equal. */
  readonly starts: readonly number[] | undefined;
  readonly ends: readonly number[] | undefined;
}

/** A unit that surely ends a cluster when an ordinary letter follows. */
const lastPlain = /[\0-\x7f]$/;

/** Passes a text on as far as it is final. */
export class NormalFeed {
  #pending = "";
  /** The first half of a surrogate pair whose second half is still to come. */
  #half = "";

  /** Takes a chunk and returns what has become final. */
  push(chunk: string): NormalStep {
    const text = this.#half + chunk;
    this.#half = endsInside(text) ? text.slice(-1) : "";
    const whole = this.#half === "" ? text : text.slice(0, -1);
    const last = lastPieceIn(whole);
    if (last < 0) {
      this.#pending += whole;
      return { given: "", normal: "", starts: undefined, ends: undefined };
    }
    const given = this.#pending + whole.slice(0, last);
    this.#pending = whole.slice(last);
    const normal = normalize(given);
    if (normal === given) return { given, normal, starts: undefined, ends: undefined };
    return mapped(given);
  }
}

function endsInside(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

function mapped(given: string): NormalStep {
  const starts: number[] = [];
  const ends: number[] = [];
  let normal = "";
  for (const { start, end, visible } of normalClusters(given)) {
    const piece = normalizeVisible(visible);
    normal += piece;
    const isSame = piece === given.slice(start, end);
    for (let i = 0; i < piece.length; i++) {
      const [from, to] = isSame ? pointAround(piece, i) : [0, end - start];
      starts.push(start + from);
      ends.push(start + to);
    }
  }
  return { given, normal, starts, ends };
}

/** How many units of a chunk's end are examined first. */
const shortLook = 32;

// The start of the last cluster that begins in a chunk; -1 when all of it continues an earlier one.
function lastPieceIn(chunk: string): number {
  if (lastPlain.test(chunk)) return chunk.length - 1;
  if (chunk.length > 2 * shortLook) {
    const from = isPairInside(chunk, chunk.length - shortLook)
      ? chunk.length - shortLook - 1
      : chunk.length - shortLook;
    const last = lastBegin(chunk.slice(from));
    if (last >= 0) return from + last;
  }
  return lastBegin(chunk);
}

function lastBegin(text: string): number {
  let last = -1;
  let isFirst = true;
  for (const { start, visible } of normalClusters(text)) {
    if (!isFirst || !joinsPrevious(visible)) last = start;
    isFirst = false;
  }
  return last;
}
