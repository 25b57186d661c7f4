// Records the results of attempts. Results that arrive while one transaction is being written are all written by the
// next: the more there are, the less each costs. A result never waits for others to join it, and a slot is held until
// its result is committed.

import { setTimeout as sleep } from "node:timers/promises";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type AttemptRecord, recordAttempts } from "../../store/webhook/attempt.ts";
import { enqueueJob } from "../job.ts";
import type { TransactionalMailer } from "../mail/mail.ts";
import type { SentAttempt } from "./attempt.ts";
import { nextAttemptAt, verdictOf } from "./delivery.ts";
import { deactivationCaller, updateHealth } from "./health.ts";

/** What an attempt means for its delivery. */
export type AttemptOutcome = "delivered" | "retried" | "dropped" | "superseded";

/** The recorded result of an attempt. */
export interface Recorded {
  readonly outcome: AttemptOutcome;
  /** Whether the webhook is not active anymore. */
  readonly isGivenUp: boolean;
}

interface Waiting {
  readonly sent: SentAttempt;
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (error: unknown) => void;
}

/** Attempts that one transaction writes. */
const batchSize = 200;

/** Records attempts. */
export class DeliveryRecorder {
  readonly #database: Database;
  readonly #random: () => number;
  readonly #mailer: TransactionalMailer | undefined;
  /** By organization. While an organization has an entry, its results are being written. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(
    database: Database,
    { random, mailer }: { readonly random: () => number; readonly mailer: TransactionalMailer | undefined },
  ) {
    this.#database = database;
    this.#random = random;
    this.#mailer = mailer;
  }

  /** Resolves when the result is committed. */
  record(sent: SentAttempt): Promise<Recorded> {
    const { orgId } = sent.attempt.webhook;
    return new Promise((resolve, reject) => {
      const entry = { sent, resolve, reject };
      const waiting = this.#waiting.get(orgId);
      if (waiting !== undefined) return void waiting.push(entry);
      const entries = [entry];
      this.#waiting.set(orgId, entries);
      void this.#drain(orgId, entries);
    });
  }

  async #drain(orgId: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) await this.#settle(orgId, waiting.splice(0, batchSize));
    this.#waiting.delete(orgId);
  }

  async #settle(orgId: string, batch: readonly Waiting[]): Promise<void> {
    try {
      const sent = batch.map((entry) => entry.sent);
      const recorded = await retryUnavailable(() =>
        this.#database.transaction(deactivationCaller(orgId), (tx) => this.#write(tx, sent)),
      );
      for (const [index, { resolve }] of batch.entries()) {
        resolve(recorded[index] ?? { outcome: "superseded", isGivenUp: false });
      }
    } catch (error) {
      // A result that cannot be written must not make others fail.
      if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error);
      else for (const entry of batch) await this.#settle(orgId, [entry]);
    }
  }

  async #write(tx: Transaction, sent: readonly SentAttempt[]): Promise<Recorded[]> {
    // Every transaction locks webhooks before their deliveries.
    const givenUp = await updateHealth(tx, sent, this.#mailer);
    const records = sent.map((one) => this.#recordOf(one, tx.now, givenUp.has(one.attempt.webhook.id)));
    const written = await recordAttempts(tx, records);
    const recorded: Recorded[] = [];
    for (const [index, record] of records.entries()) {
      const webhookId = sent[index]?.attempt.webhook.id ?? "";
      const outcome = written.has(record.claim.id) ? outcomeOf(record) : "superseded";
      if (outcome === "retried" && record.nextAttemptAt !== null) {
        const options = { runAt: record.nextAttemptAt };
        await enqueueJob(tx, "deliver-webhook", { org_id: tx.orgId, webhook_id: webhookId }, options);
      }
      recorded.push({ outcome, isGivenUp: givenUp.has(webhookId) });
    }
    return recorded;
  }

  #recordOf({ attempt, sentAt, durationMs, answer }: SentAttempt, now: Date, isGivenUp: boolean): AttemptRecord {
    const { statusCode, error, bodyStart, retryAfterMs } = answer;
    const verdict = verdictOf(statusCode);
    const attempts = attempt.attempts + 1;
    const firstAttemptAt = attempt.first_attempt_at ?? sentAt;
    const failed = { attempts, firstAttemptAt, now, retryAfterMs, random: this.#random() };
    const next = verdict !== "delivered" && !isGivenUp ? nextAttemptAt(failed) : undefined;
    return {
      claim: attempt,
      state: verdict === "delivered" ? "delivered" : next === undefined ? "dropped" : "pending",
      attempts,
      startedAt: sentAt,
      durationMs,
      statusCode,
      error,
      answer: bodyStart,
      nextAttemptAt: next ?? null,
      firstAttemptAt,
    };
  }
}

function outcomeOf({ state, nextAttemptAt: next }: AttemptRecord): AttemptOutcome {
  if (next !== null) return "retried";
  return state === "delivered" ? "delivered" : "dropped";
}

const recordTries = 3;
const recordPauseMs = 2_000;

// While a database fails over, waiting saves a target from getting an event twice. Three tries end before the claim
// does.
async function retryUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === recordTries || !isUnavailable(error)) throw error;
      await sleep(recordPauseMs);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.reason === Reason.UNAVAILABLE;
}
