// The end of a stream's text with look-alikes folded.

import { foldLookalikes } from "../text/fold.ts";
import type { TextTail } from "./text-tail.ts";

/** How many code units after a unit the folding of look-alikes reads. */
const foldReach = 16;

/** A folded copy of a tail; the tail itself as long as the text contains no look-alikes. */
export class FoldedTail {
  /** The folded text; after `end` it may still change. */
  text: TextTail;
  /** Offset up to which the folded text is final. */
  end = 0;
  readonly #tail: TextTail;

  /** `from` is the folded copy of another tail, of which `tail` is a copy. */
  constructor(tail: TextTail, from?: FoldedTail) {
    this.#tail = tail;
    this.text = from === undefined || from.text === from.#tail ? tail : from.text.copy();
    if (from !== undefined) this.end = from.end;
  }

  /** The smallest offset that later text may read back to. */
  get minOffset(): number {
    return this.end - foldReach;
  }

  /** The text up to `end`. */
  get settled(): string {
    return this.end === this.text.end ? this.text.text : this.text.slice(this.text.base, this.end);
  }

  /** Takes text that the tail has already taken. */
  push(more: string): void {
    const tail = this.#tail;
    const isPlain = !/[^\0-\x7f]/.test(more);
    const isShared = this.text === tail;
    if (isPlain && (isShared || this.end === this.text.end)) {
      if (!isShared) this.text.append(more);
      this.end = tail.end;
      return;
    }
    if (isShared) this.text = tail.copy();
    const from = this.end;
    const context = Math.max(tail.base, from - foldReach);
    const fresh = foldLookalikes(tail.slice(context, tail.end));
    this.text.replaceFrom(from, fresh.slice(from - context));
    // An ASCII letter may still follow in the same word; after a unit that ends the word, the fold is final.
    this.end = Math.max(from, /[^\0-\x7f][^ ]*$/.test(fresh.slice(-foldReach)) ? tail.end - foldReach : tail.end);
  }

  /** Drops the text before an offset. */
  trim(minOffset: number): void {
    if (this.text !== this.#tail) this.text.trim(minOffset);
  }
}
