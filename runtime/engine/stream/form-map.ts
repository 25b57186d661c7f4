// The way back from the offsets of the normalised form to those of the text, for as much of it as is still asked for.

/** Maps offsets. Before the first difference both are the same. */
export class FormMap {
  /** Offset of the form at which the lists begin; everything before `first` is the same in both. */
  #base: number;
  readonly #first: number;
  #starts: number[] = [];
  #ends: number[] = [];
  /** Where the text behind the form's last unit goes on. */
  #textEnd: number;

  constructor(first: number) {
    this.#first = first;
    this.#base = first;
    this.#textEnd = first;
  }

  /** Adds a step: as many units as the lists have, or as many as the text when they are undefined. */
  append(length: number, starts: readonly number[] | undefined, ends: readonly number[] | undefined): void {
    const from = this.#textEnd;
    if (starts === undefined) for (let i = 0; i < length; i++) this.#starts.push(from + i);
    else for (const start of starts) this.#starts.push(from + start);
    if (ends === undefined) for (let i = 0; i < length; i++) this.#ends.push(from + i + 1);
    else for (const end of ends) this.#ends.push(from + end);
    this.#textEnd += length;
  }

  /** Where a unit of the form begins in the text. */
  start(offset: number): number {
    if (offset < this.#first) return offset;
    return this.#starts[offset - this.#base] ?? this.#textEnd;
  }

  /** Where a part of the form that ends at an offset ends in the text. */
  end(offset: number): number {
    if (offset <= this.#first) return offset;
    return this.#ends[offset - 1 - this.#base] ?? this.#textEnd;
  }

  /** Says that nobody asks for what is before an offset of the form. */
  trim(before: number): void {
    const spare = before - this.#base;
    if (spare < 4_096) return;
    this.#starts = this.#starts.slice(spare);
    this.#ends = this.#ends.slice(spare);
    this.#base += spare;
  }
}
