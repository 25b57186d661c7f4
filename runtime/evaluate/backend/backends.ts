// All detector backends of a process. Several backends are asked at once.

import type { Logger } from "../../../src/kit/observability/log.ts";
import type { BackendAnswer, BackendAnswers, BackendQuestion, BackendReference } from "../../engine/backend/backend.ts";
import type { ModelClient } from "../../model-host/client.ts";
import { BackendClient, type CallResult } from "./client.ts";
import { HttpTransport } from "./http-transport.ts";
import { ModelTransport } from "./model-transport.ts";
import type { BackendOrigins } from "./origin.ts";
import type { BackendTransport } from "./transport.ts";

/** The share of the budget that is reserved for the engine, and its max. */
const reserve = { share: 0.25, maxMs: 50 } as const;
/** Min time between two warnings about the same backend. */
const complainEveryMs = 10_000;

/** The backends of a bundle, by key. */
export type BackendReferences = ReadonlyMap<string, BackendReference>;

/** Measures calls. */
export interface BackendMeter {
  readonly onCall: (backend: string, result: CallResult, seconds: number) => void;
}

/** Asks the backends of the bundle in force. */
export class Backends {
  readonly #origins: BackendOrigins;
  readonly #log: Logger;
  readonly #models: Pick<ModelClient, "ask"> | undefined;
  readonly #clients = new Map<string, BackendClient>();
  readonly #complainedAtMs = new Map<string, number>();
  #references: BackendReferences | undefined;
  /** Called after each call. */
  meter: BackendMeter | undefined;

  /** `models` is the host of models; undefined for a runtime without models. */
  constructor(origins: BackendOrigins, log: Logger, models?: Pick<ModelClient, "ask">) {
    this.#origins = origins;
    this.#log = log;
    this.#models = models;
  }

  /** The number of backends whose circuit is open, since they fail. */
  get open(): number {
    return [...this.#clients.values()].filter(({ breakerState }) => breakerState !== "closed").length;
  }

  /**
   * The answers to the questions; one that is late or fails is an answer that says so. Never throws. `startedAtMs` is
   * when the evaluation started.
   */
  async ask(
    questions: readonly BackendQuestion[],
    references: BackendReferences,
    startedAtMs: number,
  ): Promise<BackendAnswers> {
    this.#keep(references);
    const known = new Map<string, ReadonlyMap<string, BackendAnswer>>();
    await Promise.all(
      questions.map(async ({ backend, texts, budgetMs }) => {
        const reference = references.get(backend);
        if (reference === undefined) return;
        const refusal = this.#origins.refusal(reference);
        if (refusal !== undefined) {
          known.set(backend, this.#refuse(backend, texts, refusal));
          return;
        }
        const endsAtMs = startedAtMs + budgetMs - Math.min(reserve.maxMs, budgetMs * reserve.share);
        known.set(backend, await this.#clientOf(reference).ask(texts, endsAtMs));
      }),
    );
    return (backend, text) => known.get(backend)?.get(text);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
    this.#clients.clear();
  }

  #refuse(backend: string, texts: readonly string[], refusal: string): Map<string, BackendAnswer> {
    this.meter?.onCall(backend, "backend_origin_refused", 0);
    this.#complain(backend, refusal);
    return new Map(texts.map((text) => [text, { failure: "backend_origin_refused" }]));
  }

  /** Closes the connections to backends that the bundle does not have any more. */
  #keep(references: BackendReferences): void {
    if (this.#references === references) return;
    this.#references = references;
    const wanted = new Set([...references.values()].map(identityOf));
    for (const [identity, client] of this.#clients) {
      if (wanted.has(identity)) continue;
      this.#clients.delete(identity);
      void client.close();
    }
  }

  #clientOf(reference: BackendReference): BackendClient {
    const identity = identityOf(reference);
    const client =
      this.#clients.get(identity) ??
      new BackendClient({
        reference,
        transport: this.#transportTo(reference),
        onCall: (backend, result, seconds) => this.meter?.onCall(backend, result, seconds),
        onProblem: (backend, error) => this.#complain(backend, error),
      });
    this.#clients.set(identity, client);
    return client;
  }

  #transportTo(reference: BackendReference): BackendTransport {
    const { shape } = reference;
    if (shape === "onnx-text-classification") return new ModelTransport(reference, this.#models);
    const { guard } = this.#origins;
    return new HttpTransport({ reference: { ...reference, shape }, secret: this.#origins.secretOf(reference), guard });
  }

  #complain(backend: string, error: unknown): void {
    const now = performance.now();
    if (now - (this.#complainedAtMs.get(backend) ?? Number.NEGATIVE_INFINITY) < complainEveryMs) return;
    this.#complainedAtMs.set(backend, now);
    const message = error instanceof Error ? error.message : String(error);
    this.#log.warn({ backend, problem: message }, "a detector backend gave no answer");
  }
}

function identityOf(reference: BackendReference): string {
  return JSON.stringify(reference);
}
