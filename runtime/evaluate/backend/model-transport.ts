// Reaches a model that runs on this machine, in the process of the host of models.

import { inSpan } from "../../../src/kit/observability/tracing.ts";
import { type BackendFindings, type BackendReference, modelScheme } from "../../engine/backend/backend.ts";
import type { ModelClient } from "../../model-host/client.ts";
import type { ModelFailure } from "../../model-host/protocol.ts";
import { type BackendCall, type BackendTransport, CallRefused } from "./transport.ts";

/** Failures that say that the model will not answer the next question either. */
const illnesses: readonly ModelFailure[] = ["model_crash", "error"];

/** The way to one model. */
export class ModelTransport implements BackendTransport {
  readonly #models: Pick<ModelClient, "ask"> | undefined;
  readonly #model: string;
  readonly #digest: string | undefined;
  // The host takes texts one by one, so that each has its own place in its queue.
  readonly batch = 1;

  /** `models` is undefined in a runtime without models. */
  constructor({ url, digest }: BackendReference, models: Pick<ModelClient, "ask"> | undefined) {
    this.#models = models;
    this.#model = url.slice(modelScheme.length);
    this.#digest = digest;
  }

  /** Asks the host. An answer after the signal goes to `late`: the run could not be stopped, and was paid for. */
  call(call: BackendCall): Promise<BackendFindings[]> {
    return inSpan("model call", "client", async (span) => {
      try {
        return await this.#ask(call);
      } catch (error) {
        if (error instanceof CallRefused) span?.note({ "policy_guard.model_failure": error.failure });
        throw error;
      }
    });
  }

  /** Nothing: the connection to the host is everybody's. */
  async close(): Promise<void> {}

  async #ask({ texts, signal, timeoutMs, late }: BackendCall): Promise<BackendFindings[]> {
    const [text = ""] = texts;
    if (this.#models === undefined)
      throw new CallRefused("model_missing", "MODEL_FOLDER is not set", { isIllness: false });
    const asking = this.#models.ask({
      ...{ model: this.#model, text, remainingMs: timeoutMs },
      ...(this.#digest !== undefined && { digest: this.#digest }),
    });
    const gone = Promise.withResolvers<never>();
    const abort = () => gone.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      const result = await Promise.race([asking, gone.promise]);
      if ("failure" in result) throw refusalOf(result.failure);
      return [answerOf(result)];
    } catch (error) {
      if (signal.aborted) void asking.then((result) => "failure" in result || late(text, answerOf(result)));
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}

function answerOf({ findings, isCut }: { readonly findings: BackendFindings["findings"]; readonly isCut: boolean }) {
  return { findings, ...(isCut && { limit: "model_text_limit" as const }) };
}

function refusalOf(failure: ModelFailure): CallRefused {
  return new CallRefused(failure, `the host of models: ${failure}`, { isIllness: illnesses.includes(failure) });
}
