// The end of a growing text. Text that is not read again is dropped, so that the cost of a chunk does not grow with the
// text before it.

/** Code units before an offset that detectors may read as context. */
export const contextLength = 1_024;
const slackLength = 1_024;
/** Dropped text ends at a multiple of this, so that windows anchored at the start of the text stay aligned. */
const alignment = 512;

/**
 * The end of a growing text. Offsets count from the start of the whole text; offsets of `text` are called relative.
 * Example: with `base` 512, offset 515 is relative offset 3.
 */
export class TextTail {
  /** Offset at which `text` begins. */
  base = 0;
  text = "";

  /** Length of the whole text so far. */
  get end(): number {
    return this.base + this.text.length;
  }

  append(more: string): void {
    this.text += more;
  }

  /** Replaces everything from an offset on. */
  replaceFrom(offset: number, more: string): void {
    this.text = this.text.slice(0, offset - this.base) + more;
  }

  /** Allows text before an offset to be dropped, except for context. */
  trim(before: number): void {
    const spare = before - contextLength - this.base;
    // A long rest is not copied to drop only a little.
    if (spare < Math.max(slackLength, this.text.length >> 1)) return;
    const dropped = spare - ((this.base + spare) % alignment);
    this.text = this.text.slice(dropped);
    this.base += dropped;
  }

  slice(from: number, to: number): string {
    return this.text.slice(from - this.base, to - this.base);
  }

  copy(): TextTail {
    const copy = new TextTail();
    copy.base = this.base;
    copy.text = this.text;
    return copy;
  }
}
