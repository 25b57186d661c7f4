// Maps offsets of the normalised form back to offsets of the text, for the part that is still needed. Example: when "ﬁ"
// becomes "fi", units 0 and 1 of the form both begin at 0 in the text and end at 1.

/** Maps offsets. Before the first difference, both are equal. */
export class FormMap {
  /** Offset of the form at which the lists begin; everything before `first` is equal in both. */
  #base: number;
  readonly #first: number;
  #starts: number[] = [];
  #ends: number[] = [];
  /** Offset of the text after the form's last unit. */
  #textEnd: number;

  constructor(first: number) {
    this.#first = first;
    this.#base = first;
    this.#textEnd = first;
  }

  /**
   * Adds a step: one unit per list entry, or `length` units when the lists are undefined because both texts are equal.
   */
  append(length: number, starts: readonly number[] | undefined, ends: readonly number[] | undefined): void {
    const from = this.#textEnd;
    if (starts === undefined) for (let i = 0; i < length; i++) this.#starts.push(from + i);
    else for (const start of starts) this.#starts.push(from + start);
    if (ends === undefined) for (let i = 0; i < length; i++) this.#ends.push(from + i + 1);
    else for (const end of ends) this.#ends.push(from + end);
    this.#textEnd += length;
  }

  /** Offset of the text at which a unit of the form begins. */
  start(offset: number): number {
    if (offset < this.#first) return offset;
    return this.#starts[offset - this.#base] ?? this.#textEnd;
  }

  /** Offset of the text at which a span of the form that ends at `offset` ends. */
  end(offset: number): number {
    if (offset <= this.#first) return offset;
    return this.#ends[offset - 1 - this.#base] ?? this.#textEnd;
  }

  /** Drops what maps offsets of the form before `before`. */
  trim(before: number): void {
    const spare = before - this.#base;
    if (spare < 4_096) return;
    this.#starts = this.#starts.slice(spare);
    this.#ends = this.#ends.slice(spare);
    this.#base += spare;
  }
}
