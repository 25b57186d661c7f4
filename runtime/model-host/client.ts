// Asks the host of models over its socket. A host that is away, or that ends while it judges, is an answer like any
// other: the evaluation goes on without it.

import { connect, type Socket } from "node:net";
import { machineMs } from "./machine-clock.ts";
import {
  type HostMessage,
  type HostState,
  type ModelAnswer,
  type ModelFailure,
  type ModelQuestion,
  type ModelState,
  onFrames,
  sendFrame,
} from "./protocol.ts";

/** What came of a question. */
export type ModelResult = Exclude<ModelAnswer, { readonly failure: ModelFailure }> | { readonly failure: ModelFailure };

/** A question, as it is asked. */
export interface Question extends Omit<ModelQuestion, "id" | "endsAtMs"> {
  /** How long somebody waits for the answer. */
  readonly remainingMs: number;
}

const againMs = 100;
/** How long a start waits for models; what is not loaded by then comes later. */
const maxSettleMs = 60_000;
const nobody: HostState = { models: [], isSettled: false, restarts: 0 };

/** The connection of one process to the host of its machine. */
export class ModelClient {
  readonly #path: string;
  readonly #asked = new Map<number, (result: ModelResult) => void>();
  #socket: Socket | undefined;
  #again: NodeJS.Timeout | undefined;
  #state = nobody;
  #count = 0;
  #isClosed = false;
  readonly #startedAtMs = performance.now();
  #wasSettled = false;
  /** Called when the host says something new of itself. */
  onState: (() => void) | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#connect();
  }

  /** What the host last said of itself. */
  get state(): HostState {
    return this.#state;
  }

  /** Whether there is a host now. */
  get isConnected(): boolean {
    return this.#socket !== undefined;
  }

  /** Whether every model has been tried once, or has had a minute for it. */
  get wasSettled(): boolean {
    return this.#wasSettled || performance.now() - this.#startedAtMs > maxSettleMs;
  }

  /** The models of the folder, as far as they got. */
  get models(): readonly ModelState[] {
    return this.#state.models;
  }

  /** The answer to a question; it may come long after anybody waits for it. Never throws. */
  ask({ remainingMs, ...question }: Question): Promise<ModelResult> {
    const socket = this.#socket;
    if (socket === undefined)
      return Promise.resolve({ failure: this.#state === nobody ? "model_busy" : "model_crash" });
    const id = this.#count++;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      sendFrame(socket, { id, ...question, endsAtMs: machineMs() + remainingMs });
    });
  }

  /** Ends the connection. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#again);
    this.#socket?.destroy();
    this.#fail();
  }

  #connect(): void {
    const socket = connect(this.#path);
    // Neither an idle connection nor a host that is away keeps a process.
    socket.unref();
    socket.on("connect", () => {
      this.#socket = socket;
    });
    onFrames<HostMessage>(socket, (message) => {
      if ("state" in message) this.#take(message.state);
      else this.#settle(message.answer);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#socket = undefined;
      this.#fail();
      if (this.#isClosed) return;
      if (this.#state !== nobody) this.#take(awayFrom(this.#state));
      this.#again = setTimeout(() => this.#connect(), againMs).unref();
    });
  }

  #take(state: HostState): void {
    this.#state = state;
    this.#wasSettled ||= state.isSettled;
    this.onState?.();
  }

  #settle(answer: ModelAnswer): void {
    const resolve = this.#asked.get(answer.id);
    this.#asked.delete(answer.id);
    resolve?.(answer);
  }

  #fail(): void {
    const open = [...this.#asked.values()];
    this.#asked.clear();
    for (const resolve of open) resolve({ failure: "model_crash" });
  }
}

/** What is left of a host that went away: its models are to be loaded again. */
function awayFrom({ models, restarts }: HostState): HostState {
  const again = models.map((model): ModelState => (model.state === "ready" ? { ...model, state: "loading" } : model));
  return { models: again, isSettled: false, restarts };
}

/** What /readyz says of each model: "ready", "loading", or why it is out. A model that is out does not make it fail. */
export function modelNotes(models: ModelClient | undefined): Record<string, unknown> {
  if (models === undefined) return {};
  return { models: Object.fromEntries(models.models.map(({ name, state, reason }) => [name, reason ?? state])) };
}
