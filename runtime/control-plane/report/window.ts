import { beginTrace, type OpenSpan } from "../../../src/kit/observability/tracing.ts";

/** The batches that one stream has sent, and those that are not acknowledged. */
export class Window {
  nextSeq: number;
  /** Whether the control plane takes tallies; undefined until its first message. */
  takesTallies: boolean | undefined;
  readonly #waiting: { readonly lastSeq: number; readonly span: OpenSpan | undefined }[] = [];

  constructor(firstSeq: number) {
    this.nextSeq = firstSeq;
  }

  get inFlight(): number {
    return this.#waiting.length;
  }

  /** Says that everything up to this sequence number was sent. */
  sent(lastSeq: number): void {
    // A trace of its own: a stream carries thousands of them.
    const span = beginTrace("report", "client");
    span?.note({ "policy_guard.evaluations": lastSeq - this.nextSeq + 1 });
    this.#waiting.push({ lastSeq, span });
    this.nextSeq = lastSeq + 1;
  }

  /** Says that everything up to this sequence number is committed. */
  acknowledged(lastSeq: number): void {
    while ((this.#waiting[0]?.lastSeq ?? Number.POSITIVE_INFINITY) <= lastSeq) this.#waiting.shift()?.span?.end();
  }

  /** Says that the stream has ended: what is not acknowledged is sent again over another one. */
  close(): void {
    for (const { span } of this.#waiting.splice(0)) span?.end("not_acknowledged");
  }
}
