// Receives notifications of other processes through PostgreSQL, on a connection of its own. PostgreSQL keeps no
// notifications while that connection is broken, so listeners are told after each reconnection that anything may have
// changed.

import type { JsonObject } from "@bufbuild/protobuf";
import pg from "pg";
import type { Logger } from "../../kit/observability/log.ts";
import { backOffMs } from "../../kit/process/back-off.ts";

/** Where to listen. */
export interface NotificationOptions {
  readonly url: string;
  readonly log: Logger;
  /** Wait before the first attempt to connect again; doubles up to fifty times as much. */
  readonly reconnectMs?: number;
  /** How often the connection is asked whether it still lives. A dead one is noticed within this time and `answerMs`. */
  readonly heartbeatMs?: number;
  /** How long the database may take to accept a connection, and to answer on it. */
  readonly answerMs?: number;
}

/** Handles a notification. `payload` has at least org_id. */
export type NotificationListener = (payload: JsonObject) => void;

/** Listens to channels. */
export class Notifications {
  readonly #options: Required<NotificationOptions>;
  readonly #listeners = new Map<string, Set<NotificationListener>>();
  readonly #resyncs = new Set<() => void>();
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(options: NotificationOptions) {
    this.#options = { reconnectMs: 100, heartbeatMs: 15_000, answerMs: 10_000, ...options };
  }

  /** Calls the listener for each notification on the channel. Channels are named before `start`. */
  on(channel: string, listener: NotificationListener): void {
    const known = this.#listeners.get(channel);
    if (known === undefined) this.#listeners.set(channel, new Set([listener]));
    else known.add(listener);
  }

  /** Calls the listener after each reconnection: anything may have changed meanwhile. */
  onResync(listener: () => void): void {
    this.#resyncs.add(listener);
  }

  /** Whether notifications are received now. */
  get isListening(): boolean {
    return this.#client !== undefined;
  }

  /** Begins to listen. Throws when the database cannot be reached; after later failures it connects again. */
  async start(): Promise<void> {
    await this.#connect();
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retry);
    clearTimeout(this.#heartbeat);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #connect({ isAgain = false } = {}): Promise<void> {
    const { url, answerMs } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: "policy-guard-notifications",
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    });
    client.on("error", (err) => this.#lost(client, err));
    client.on("end", () => this.#lost(client, new Error("the connection ended")));
    client.on("notification", ({ channel, payload }) => this.#hear(channel, payload));
    try {
      await client.connect();
      for (const channel of this.#listeners.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.#closing.signal.aborted) return void (await client.end());
    this.#client = client;
    this.#failures = 0;
    this.#beatLater(client);
    // In the same turn, so that nobody who sees that notifications are heard relies on what was known before.
    if (isAgain) this.#resync();
  }

  #beatLater(client: pg.Client): void {
    this.#heartbeat = setTimeout(() => void this.#beat(client), this.#options.heartbeatMs).unref();
  }

  // A connection whose other end has vanished silently would stay open for hours; an unanswered query ends it.
  async #beat(client: pg.Client): Promise<void> {
    try {
      await client.query("select 1");
    } catch (error) {
      this.#lost(client, error);
    }
    if (this.#client === client) this.#beatLater(client);
  }

  #lost(client: pg.Client, err: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearTimeout(this.#heartbeat);
    this.#options.log.warn({ err }, "notifications are not heard: connecting again");
    void client.end().catch(() => undefined);
    this.#reconnectLater();
  }

  #reconnectLater(): void {
    if (this.#closing.signal.aborted) return;
    const { reconnectMs: baseMs } = this.#options;
    const delayMs = backOffMs(this.#failures, { baseMs, maxMs: 50 * baseMs, jitter: "equal" });
    this.#failures += 1;
    this.#retry = setTimeout(() => void this.#reconnect(), delayMs);
  }

  async #reconnect(): Promise<void> {
    try {
      await this.#connect({ isAgain: true });
    } catch (err) {
      this.#options.log.warn({ err }, "cannot listen for notifications yet");
      this.#reconnectLater();
    }
  }

  #resync(): void {
    this.#options.log.info("notifications are heard again");
    for (const listener of this.#resyncs) this.#call("resync", listener);
  }

  #hear(channel: string, payload: string | undefined): void {
    const message = parseObject(payload);
    if (message === undefined) {
      this.#options.log.warn({ channel }, "a notification without an object");
      return;
    }
    for (const listener of this.#listeners.get(channel) ?? []) this.#call(channel, () => listener(message));
  }

  // One listener's failure must not keep the others from being called.
  #call(channel: string, listener: () => void): void {
    try {
      listener();
    } catch (err) {
      this.#options.log.error({ err, channel }, "a listener of notifications failed");
    }
  }
}

function parseObject(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
