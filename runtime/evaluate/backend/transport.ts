// How one backend is reached. The client around it keeps answers, counts calls and opens circuits, whatever the way.

import type { BackendFailure, BackendFindings } from "../../engine/backend/backend.ts";

/** One call. */
export interface BackendCall {
  /** At most the transport's `batch` texts. */
  readonly texts: readonly string[];
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
  /** How long somebody waits. */
  readonly timeoutMs: number;
  /** Takes an answer that comes after that. */
  readonly late: (text: string, answer: BackendFindings) => void;
}

/** A way to a backend. */
export interface BackendTransport {
  /** Max texts of one call. */
  readonly batch: number;
  /** The answer to each text, in order. Throws. */
  readonly call: (call: BackendCall) => Promise<BackendFindings[]>;
  readonly close: () => Promise<void>;
}

/** How a call can end without an answer. */
export type CallFailure = Exclude<BackendFailure, "backend_unavailable">;

/** A call that ended for a reason which has a name of its own. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
  readonly failure: CallFailure;
  /** Whether it says that the backend is ill, so that it should be left alone for a while. */
  readonly isIllness: boolean;

  constructor(failure: CallFailure, message: string, { isIllness }: { readonly isIllness: boolean }) {
    super(message);
    this.failure = failure;
    this.isIllness = isIllness;
  }
}
