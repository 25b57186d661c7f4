import type { Enrolment } from "../../domain/fleet/enrolment.ts";

type InstanceStatus = Parameters<Enrolment["noteStatus"]>[2];

/** A status as a runtime sends it. */
type Status = Omit<InstanceStatus, "isEvidenceForked"> & { readonly evidenceFork?: object | undefined };

const intervalMs = 1_000;
/** What a column of 32 bits holds. */
const maxEpoch = 2 ** 31 - 1;

/**
 * Writes the status of a runtime, at most once a second: one that comes sooner replaces the one that waits. A status
 * only describes a moment and the next one follows, so one that cannot be written is dropped.
 */
export class StatusWriter {
  readonly #write: (status: InstanceStatus) => Promise<void>;
  #waiting: InstanceStatus | undefined;
  #timer: NodeJS.Timeout | undefined;
  #inHand: Promise<void> = Promise.resolve();

  constructor(write: (status: InstanceStatus) => Promise<void>) {
    this.#write = write;
  }

  /** Writes the status now or, within a second of the last one, at the end of that second. */
  write({
    bundleVersion,
    activationSeq,
    rejection,
    refusedBackends,
    models,
    labels,
    spoolDepth,
    ...witness
  }: Status): void {
    const depth = Number.isFinite(spoolDepth) ? Math.max(0, Math.round(spoolDepth)) : 0;
    const named = models.map(({ name, state, digest }) => ({ name, state, digest }));
    const told = { bundleVersion, activationSeq, rejection, refusedBackends, models: named, labels };
    const { witnessedSize, witnessedEpoch, evidenceFork } = witness;
    const witnessed = { witnessedSize, witnessedEpoch: Math.min(witnessedEpoch, maxEpoch) };
    this.#waiting = {
      ...{ ...told, ...witnessed, isEvidenceForked: evidenceFork !== undefined },
      spoolDepth: Math.min(depth, Number.MAX_SAFE_INTEGER),
    };
    if (this.#timer === undefined) this.#flush();
  }

  /** Writes the status that waits, and ends. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    clearTimeout(this.#timer);
    await this.#inHand;
  }

  #flush(): void {
    this.#timer = undefined;
    const status = this.#waiting;
    if (status === undefined) return;
    this.#waiting = undefined;
    this.#inHand = this.#inHand.then(() => this.#write(status)).catch(() => undefined);
    this.#timer = setTimeout(() => this.#flush(), intervalMs);
  }
}
