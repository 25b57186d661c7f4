/** The batches that one stream has sent, and those that are not acknowledged. */
export class Window {
  nextSeq: number;
  /** Whether the control plane takes tallies; undefined until its first message. */
  takesTallies: boolean | undefined;
  readonly #waiting: number[] = [];

  constructor(firstSeq: number) {
    this.nextSeq = firstSeq;
  }

  get inFlight(): number {
    return this.#waiting.length;
  }

  /** Says that everything up to this sequence number was sent. */
  sent(lastSeq: number): void {
    this.#waiting.push(lastSeq);
    this.nextSeq = lastSeq + 1;
  }

  /** Says that everything up to this sequence number is committed. */
  acknowledged(lastSeq: number): void {
    while ((this.#waiting[0] ?? Number.POSITIVE_INFINITY) <= lastSeq) this.#waiting.shift();
  }
}
