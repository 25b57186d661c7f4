// The sequence numbers that will never be sent, and why.

/** Why evaluations are lost: the spool was full, its disk refused them, or what lies there is damaged. */
export type GapReason = "spool_full" | "write_failed" | "corrupt";

/** A run of evaluations that are lost. */
export interface SpoolGap {
  readonly kind: "gap";
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly count: number;
  readonly reason: GapReason;
}

interface Range {
  firstSeq: number;
  lastSeq: number;
  readonly reason: GapReason;
}

/** The gaps that are not acknowledged yet: sorted, disjoint, and merged where they touch. */
export class GapList {
  #ranges: Range[] = [];

  /**
   * Adds a gap; sequence numbers that are in a gap already keep their reason. Returns how many evaluations are newly
   * lost.
   */
  add(firstSeq: number, lastSeq: number, reason: GapReason): number {
    let added = 0;
    let from = firstSeq;
    for (const range of [...this.#ranges]) {
      if (range.lastSeq < from) continue;
      if (range.firstSeq > lastSeq) break;
      if (range.firstSeq > from) added += this.#insert(from, range.firstSeq - 1, reason);
      from = range.lastSeq + 1;
    }
    if (from <= lastSeq) added += this.#insert(from, lastSeq, reason);
    return added;
  }

  /** The rest of the gap that holds this sequence number, from there on. */
  at(seq: number): SpoolGap | undefined {
    const range = this.#ranges.find(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq);
    return range === undefined ? undefined : gapOf({ ...range, firstSeq: seq });
  }

  /** The first sequence number after this one that is in a gap; infinite when there is none. */
  after(seq: number): number {
    return this.#ranges.find(({ firstSeq }) => firstSeq > seq)?.firstSeq ?? Number.POSITIVE_INFINITY;
  }

  /** Forgets gaps up to an acknowledged sequence number. */
  forget(upToSeq: number): void {
    this.#ranges = this.#ranges.filter(({ lastSeq }) => lastSeq > upToSeq);
    const [first] = this.#ranges;
    if (first !== undefined) first.firstSeq = Math.max(first.firstSeq, upToSeq + 1);
  }

  /** All gaps in order. */
  list(): SpoolGap[] {
    return this.#ranges.map(gapOf);
  }

  /** Evaluations in all gaps. */
  get count(): number {
    return this.#ranges.reduce((sum, { firstSeq, lastSeq }) => sum + lastSeq - firstSeq + 1, 0);
  }

  #insert(firstSeq: number, lastSeq: number, reason: GapReason): number {
    const index = this.#ranges.findIndex((range) => range.firstSeq > lastSeq);
    const at = index < 0 ? this.#ranges.length : index;
    const [before, after] = [this.#ranges[at - 1], this.#ranges[at]];
    // A long outage is one range that grows, not a million ranges.
    if (before !== undefined && before.reason === reason && before.lastSeq + 1 === firstSeq) before.lastSeq = lastSeq;
    else if (after !== undefined && after.reason === reason && after.firstSeq - 1 === lastSeq)
      after.firstSeq = firstSeq;
    else this.#ranges.splice(at, 0, { firstSeq, lastSeq, reason });
    return lastSeq - firstSeq + 1;
  }
}

function gapOf({ firstSeq, lastSeq, reason }: Range): SpoolGap {
  return { kind: "gap", firstSeq, lastSeq, count: lastSeq - firstSeq + 1, reason };
}
