// Shows that notifications of PostgreSQL arrive. A pooler in transaction mode accepts `listen` and delivers nothing: a
// process behind one would work, and learn of nothing that others change.

import { randomBytes } from "node:crypto";
import pg from "pg";

/** Where to listen, and from where to notify. */
export interface DeliveryProof {
  readonly listenUrl: string;
  readonly notifyUrl: string;
  /** The variable that an operator sets when it fails. */
  readonly variable: string;
  /** How long to wait for a notification. */
  readonly limitMs?: number;
}

const repeatMs = 250;

/** Throws, with what to do, when a notification from one connection does not arrive on the other. */
export async function assertDelivery({ listenUrl, notifyUrl, variable, limitMs = 10_000 }: DeliveryProof) {
  const listener = openClient(listenUrl);
  const notifier = openClient(notifyUrl);
  try {
    await Promise.all([listener.connect(), notifier.connect()]);
    // Nobody else uses the name.
    const channel = `policy_guard_proof_${randomBytes(8).toString("hex")}`;
    const heard = new Promise<boolean>((resolve) => listener.once("notification", () => resolve(true)));
    await listener.query(`listen ${channel}`);
    for (let waitedMs = 0; waitedMs < limitMs; waitedMs += repeatMs) {
      await notifier.query("select pg_notify($1, '')", [channel]);
      if (await Promise.race([heard, later(repeatMs)])) return;
    }
  } finally {
    await Promise.all([listener, notifier].map((client) => client.end().catch(() => undefined)));
  }
  throw new Error(
    `PostgreSQL's notifications do not arrive: ${variable} leads through a pooler in transaction mode, or to another ` +
      "database; set it to the server itself, or to a pooler in session mode",
  );
}

function openClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A failure is told by the query that it breaks.
  client.on("error", () => undefined);
  return client;
}

function later(delayMs: number): Promise<boolean> {
  return new Promise((resolve) => setTimeout(() => resolve(false), delayMs));
}
