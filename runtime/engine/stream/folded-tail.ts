// The end of a stream's text with look-alikes folded.

import { foldLookalikes } from "../fold.ts";
import type { TextTail } from "./text-tail.ts";

/** How far behind a unit the folding of look-alikes looks. */
const foldReach = 16;

/** Follows a tail, of which it is a folded copy, or the tail itself as long as there are no look-alikes. */
export class FoldedTail {
  /** The folded text; behind `end` it may still change. */
  text: TextTail;
  /** Offset up to which the folded text is final. */
  end = 0;
  readonly #tail: TextTail;

  /** `from` is what another tail was folded to, of which `tail` is a copy. */
  constructor(tail: TextTail, from?: FoldedTail) {
    this.#tail = tail;
    this.text = from === undefined || from.text === from.#tail ? tail : from.text.copy();
    if (from !== undefined) this.end = from.end;
  }

  /** The least offset that later text may look back to. */
  get least(): number {
    return this.end - foldReach;
  }

  /** The text up to `end`. */
  get settled(): string {
    return this.end === this.text.end ? this.text.text : this.text.slice(this.text.base, this.end);
  }

  /** Takes what the tail has taken already. */
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
    // An ASCII letter in the same word may still come; behind a unit that ends words it is too late.
    this.end = Math.max(from, /[^\0-\x7f][^ ]*$/.test(fresh.slice(-foldReach)) ? tail.end - foldReach : tail.end);
  }

  /** Lets go of what lies before an offset. */
  trim(least: number): void {
    if (this.text !== this.#tail) this.text.trim(least);
  }
}
