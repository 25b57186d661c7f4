import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  QuotaSchema,
  ReportResponseSchema,
  TokenDigestSchema,
  WelcomeSchema,
  WitnessedCheckpointSchema,
} from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";

type Response = MessageInitShape<typeof ReportResponseSchema>;
type Quota = MessageInitShape<typeof QuotaSchema>;
type Checkpoint = MessageInitShape<typeof WitnessedCheckpointSchema>;
type Tokens = MessageInitShape<typeof TokenDigestSchema>[];

/**
 * The messages that wait to be sent to one runtime. Of each kind only the newest is kept (an acknowledgement covers all
 * before it), so it never holds more than six messages, however slowly the runtime reads.
 */
export class ReportOutbox {
  #welcome: MessageInitShape<typeof WelcomeSchema> | undefined;
  #ackSeq: number | undefined;
  #activationSeq: number | undefined;
  #newestActivation = 0;
  #tokens: Tokens | undefined;
  #quota: Quota | undefined;
  #checkpoint: Checkpoint | undefined;
  /** What was told last. A runtime of an earlier release does not know checkpoints, and gets each only once. */
  #toldCheckpoint = "";
  #end: { readonly error?: unknown } | undefined;
  #wake = Promise.withResolvers<void>();

  /** Whether the stream ends after the waiting messages, or has ended. */
  get isEnding(): boolean {
    return this.#end !== undefined;
  }

  /** Says what this control plane understands. */
  welcome(welcome: MessageInitShape<typeof WelcomeSchema>): void {
    this.#welcome = welcome;
    this.#wake.resolve();
  }

  /** Acknowledges everything up to this sequence number. */
  acknowledge(lastSeq: number): void {
    this.#ackSeq = lastSeq;
    this.#wake.resolve();
  }

  /**
   * Tells the present activation, unless a newer one was told already. The same one is told again, since it was signed
   * anew, perhaps with another setting of what may be reported.
   */
  bundleChanged(activationSeq: number): void {
    if (activationSeq < this.#newestActivation) return;
    this.#newestActivation = activationSeq;
    this.#activationSeq = activationSeq;
    this.#wake.resolve();
  }

  /** Tells the live tokens. */
  tokensChanged(tokens: Tokens): void {
    this.#tokens = tokens;
    this.#wake.resolve();
  }

  /** Tells the leases of the runtime. */
  quota(quota: Quota): void {
    this.#quota = quota;
    this.#wake.resolve();
  }

  /** Tells a checkpoint of the log of evidence, unless it was told from the same size already. */
  checkpoint(checkpoint: Checkpoint): void {
    const told = `${checkpoint.fromSize} ${checkpoint.note}`;
    if (told === this.#toldCheckpoint) return;
    this.#toldCheckpoint = told;
    this.#checkpoint = checkpoint;
    this.#wake.resolve();
  }

  /**
   * Ends the stream after the waiting messages; with an error, at once and with that error. Only the first call counts.
   */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake.resolve();
  }

  /** The messages, as they are added. */
  async *messages(): AsyncGenerator<Response, void> {
    for (;;) {
      this.#wake = Promise.withResolvers();
      if (this.#end?.error !== undefined) throw this.#end.error;
      const next = this.#take();
      if (next !== undefined) yield next;
      else if (this.#end !== undefined) return;
      else await this.#wake.promise;
    }
  }

  #take(): Response | undefined {
    if (this.#welcome !== undefined) {
      const welcome = this.#welcome;
      this.#welcome = undefined;
      return { message: { case: "welcome", value: welcome } };
    }
    if (this.#ackSeq !== undefined) {
      const lastSeq = this.#ackSeq;
      this.#ackSeq = undefined;
      return { message: { case: "ack", value: { lastSeq } } };
    }
    if (this.#quota !== undefined) {
      const quota = this.#quota;
      this.#quota = undefined;
      return { message: { case: "quota", value: quota } };
    }
    if (this.#activationSeq !== undefined) {
      const activationSeq = this.#activationSeq;
      this.#activationSeq = undefined;
      return { message: { case: "bundleChanged", value: { activationSeq } } };
    }
    if (this.#tokens !== undefined) {
      const tokens = this.#tokens;
      this.#tokens = undefined;
      return { message: { case: "tokensChanged", value: { tokens } } };
    }
    if (this.#checkpoint !== undefined) {
      const checkpoint = this.#checkpoint;
      this.#checkpoint = undefined;
      return { message: { case: "checkpoint", value: checkpoint } };
    }
    return undefined;
  }
}
