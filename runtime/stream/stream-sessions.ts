// Streams of callers that cannot send and receive at once: opened, pushed to and finished by calls of their own. One that nobody pushes
// to for a while is cancelled, as is one that lasts too long.

import { randomBytes } from "node:crypto";
import { notFound } from "../../src/kit/error.ts";
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
  /** What ids begin with. */
  readonly #prefix: string;
  readonly #entries = new Map<string, Entry>();

  /** `process` is the number of this process among its siblings. */
  constructor(streams: OpenStreams, process?: number) {
    this.#streams = streams;
    this.#prefix = process === undefined ? "" : `${process}.`;
  }

  /** Keeps a stream for its caller; answers its id. */
  add(stream: LiveStream, caller: string, nowMs: number): string {
    const id = this.#prefix + randomBytes(18).toString("base64url");
    const { idleMs, longestMs } = this.#streams.limits;
    this.#entries.set(id, { stream, caller, endsAtMs: nowMs + longestMs, idleAtMs: nowMs + idleMs });
    return id;
  }

  /** The stream of an id. Throws not_found for one that is not open here, or is somebody else's. */
  get(id: string, caller: string, nowMs: number): LiveStream {
    const entry = this.#entryOf(id, caller);
    if (entry === undefined) throw notFound("stream");
    entry.idleAtMs = nowMs + this.#streams.limits.idleMs;
    return entry.stream;
  }

  /** The same without an error, and without keeping it open for longer. */
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

  /** Cancels what nobody has pushed to for too long. */
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
