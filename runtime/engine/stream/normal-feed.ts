// Normalises a growing text (NFKC without invisible characters, see normalize.ts) piece by piece. The last piece waits: a mark that is
// still to come may join it.

import { joinsPrevious, normalize, normalPieces, pointAround } from "../normalize.ts";
import { isPairInside } from "../offset.ts";

/** What a chunk made final. */
export interface NormalStep {
  /** Final text, and the same normalised. */
  readonly given: string;
  readonly normal: string;
  /** Where each unit of `normal` came from, relative to `given`; undefined when both are equal. */
  readonly starts: readonly number[] | undefined;
  readonly ends: readonly number[] | undefined;
}

/** Units that end a piece for sure when an ordinary letter follows. */
const lastPlain = /[\0-\x7f]$/;

/** Feeds a text to its forms as far as it is final. */
export class NormalFeed {
  #pending = "";
  /** The first half of a pair whose second is still to come. */
  #half = "";

  /** Takes a chunk; answers what has become final. */
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
  for (const { start, end, visible } of normalPieces(given)) {
    const piece = visible.normalize("NFKC");
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

/** How much of a chunk's end is looked at first. */
const shortLook = 32;

// Where the last piece that begins in a chunk does; -1 when all of it goes on with what was before.
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
  for (const { start, visible } of normalPieces(text)) {
    if (!isFirst || !joinsPrevious(visible)) last = start;
    isFirst = false;
  }
  return last;
}
