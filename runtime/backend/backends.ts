// All detector backends of a process. What is asked of several goes out at once.

import type { Logger } from "../../src/kit/log.ts";
import type { BackendAnswer, BackendAnswers, BackendQuestion, BackendReference } from "../engine/backend.ts";
import { BackendClient, type CallResult } from "./client.ts";

/** Part of the budget that is left to the engine, and its most. */
const reserve = { share: 0.25, mostMs: 50 } as const;
/** Least time between two complaints about the same backend. */
const complainEveryMs = 10_000;

/** The backends of a bundle, by key. */
export type BackendReferences = ReadonlyMap<string, BackendReference>;

/** What takes note of calls. */
export interface BackendMeter {
  readonly onCall: (backend: string, result: CallResult, seconds: number) => void;
}

/** Asks the backends of the bundle in force. */
export class Backends {
  readonly #secrets: ReadonlyMap<string, string>;
  readonly #log: Logger;
  readonly #clients = new Map<string, BackendClient>();
  readonly #complainedAtMs = new Map<string, number>();
  #references: BackendReferences | undefined;
  /** Told of each call. */
  meter: BackendMeter | undefined;

  constructor(secrets: ReadonlyMap<string, string>, log: Logger) {
    this.#secrets = secrets;
    this.#log = log;
  }

  /** How many backends are left alone since they fail. */
  get open(): number {
    return [...this.#clients.values()].filter(({ breakerState }) => breakerState !== "closed").length;
  }

  /** The answers to questions, with what is late or fails said so. Never throws. `startedAtMs` is when the evaluation began. */
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
        const endsAtMs = startedAtMs + budgetMs - Math.min(reserve.mostMs, budgetMs * reserve.share);
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

  /** Ends the connections to backends that the bundle does not have any more. */
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
        secret: this.#secrets.get(reference.key),
        onCall: (backend, result, seconds) => this.meter?.onCall(backend, result, seconds),
        onProblem: (backend, error) => this.#complain(backend, error),
      });
    this.#clients.set(identity, client);
    return client;
  }

  #complain(backend: string, error: unknown): void {
    const now = performance.now();
    if (now - (this.#complainedAtMs.get(backend) ?? Number.NEGATIVE_INFINITY) < complainEveryMs) return;
    this.#complainedAtMs.set(backend, now);
    const message = error instanceof Error ? error.message : String(error);
    this.#log.warn({ backend, problem: message }, "a detector backend gave no answer");
  }
}

/** Reads BACKEND_SECRETS_FILE: a JSON object of header values by the keys of backends. */
export function readBackendSecrets(content: string | undefined): ReadonlyMap<string, string> {
  if (content === undefined) return new Map();
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    throw new Error("BACKEND_SECRETS_FILE: expected JSON");
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw notSecrets();
  return new Map(
    Object.entries(json).map(([key, value]): [string, string] => {
      if (typeof value !== "string" || !/^[\x20-\x7e]+$/.test(value)) throw notSecrets();
      return [key, value];
    }),
  );
}

function notSecrets(): Error {
  return new Error("BACKEND_SECRETS_FILE: expected an object of header values by the keys of backends");
}

function identityOf(reference: BackendReference): string {
  return JSON.stringify(reference);
}
