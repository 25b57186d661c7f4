// Streams of callers that cannot send and receive at once: unary calls open, push to and finish them. A stream that
// gets no push for a while is cancelled, as is one that takes too long.

import { randomBytes } from "node:crypto";
import { notFound } from "../../src/kit/fault/fault.ts";
import type { LiveStream, OpenStreams } from "./open-streams.ts";

interface Entry {
  readonly stream: LiveStream;
  readonly caller: string;
  readonly endsAtMs: number;
  idleAtMs: number;
}

/** Keeps streams by their ids. */
export class StreamSessions {
  readonly #streams: OpenStreams;
  /** The start of each id: "3." in process 3, empty in a single process. */
  readonly #prefix: string;
  readonly #entries = new Map<string, Entry>();

  /** `process` is the index of this process among its peers. */
  constructor(streams: OpenStreams, process?: number) {
    this.#streams = streams;
    this.#prefix = process === undefined ? "" : `${process}.`;
  }

  /** Keeps a stream for its caller; answers its id. */
  add(stream: LiveStream, caller: string, nowMs: number): string {
    const id = this.#prefix + randomBytes(18).toString("base64url");
    const { idleMs, maxDurationMs } = this.#streams.limits;
    this.#entries.set(id, { stream, caller, endsAtMs: nowMs + maxDurationMs, idleAtMs: nowMs + idleMs });
    return id;
  }

  /** The stream of an id. Throws not_found for an id that is not open here, or that belongs to another caller. */
  get(id: string, caller: string, nowMs: number): LiveStream {
    const entry = this.#entryOf(id, caller);
    if (entry === undefined) throw notFound("stream");
    entry.idleAtMs = nowMs + this.#streams.limits.idleMs;
    return entry.stream;
  }

  /** The same without an error, and without extending its time. */
  find(id: string, caller: string): LiveStream | undefined {
    return this.#entryOf(id, caller)?.stream;
  }

  #entryOf(id: string, caller: string): Entry | undefined {
    const entry = this.#entries.get(id);
    return entry?.caller === caller ? entry : undefined;
  }

  /** Forgets a stream that is over. */
  remove(id: string): void {
    this.#entries.delete(id);
  }

  /** Cancels streams that got no push for too long. */
  expire(nowMs: number): void {
    for (const [id, { stream, idleAtMs, endsAtMs }] of this.#entries) {
      if (nowMs < Math.min(idleAtMs, endsAtMs)) continue;
      this.#entries.delete(id);
      stream.cancel();
    }
  }

  /** Cancels all streams, at the end of the process. */
  close(): void {
    this.expire(Number.POSITIVE_INFINITY);
  }
}
