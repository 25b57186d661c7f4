// Writes down what came of attempts. What has come while one transaction was being written is written by the next, all of it
// together: the more there is, the less each costs. Nothing waits for company, and a slot is held until its result is safe.

import { setTimeout as sleep } from "node:timers/promises";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../kit/error.ts";
import type { Database, Transaction } from "../store/database.ts";
import { type AttemptRecord, recordAttempts } from "../store/webhook-attempt.ts";
import { nextAttemptAt, verdictOf } from "./delivery.ts";
import type { Attempt } from "./delivery-attempt.ts";
import { enqueueJob } from "./job.ts";
import { deactivationCaller, updateHealth } from "./webhook-health.ts";
import type { SendAnswer } from "./webhook-request.ts";

/** What an attempt means for its delivery. */
export type AttemptOutcome = "delivered" | "retried" | "dropped" | "superseded";

/** An attempt that was made. */
export interface SentAttempt {
  readonly attempt: Attempt;
  readonly sentAt: Date;
  readonly durationMs: number;
  readonly answer: SendAnswer;
}

interface Waiting {
  readonly sent: SentAttempt;
  readonly resolve: (outcome: AttemptOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Most attempts that one transaction writes. */
const batchSize = 200;

/** Records attempts. */
export class DeliveryRecorder {
  readonly #database: Database;
  readonly #random: () => number;
  /** By organization. One that has an entry is being written for. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(database: Database, random: () => number) {
    this.#database = database;
    this.#random = random;
  }

  /** Resolves when it is written down. */
  record(sent: SentAttempt): Promise<AttemptOutcome> {
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
      const outcomes = await patiently(() =>
        this.#database.transaction(deactivationCaller(orgId), (tx) => this.#write(tx, sent)),
      );
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] ?? "superseded");
    } catch (error) {
      // One that cannot be written must not take others with it.
      if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error);
      else for (const entry of batch) await this.#settle(orgId, [entry]);
    }
  }

  async #write(tx: Transaction, sent: readonly SentAttempt[]): Promise<AttemptOutcome[]> {
    // Webhooks are locked before their deliveries, the order in which all take them.
    const givenUp = await updateHealth(tx, sent);
    const records = sent.map((one) => this.#recordOf(one, tx.now, givenUp.has(one.attempt.webhook.id)));
    const recorded = await recordAttempts(tx, records);
    const outcomes: AttemptOutcome[] = [];
    for (const [index, { claim, state, nextAttemptAt: runAt }] of records.entries()) {
      const webhookId = sent[index]?.attempt.webhook.id;
      if (!recorded.has(claim.id) || webhookId === undefined) outcomes.push("superseded");
      else if (runAt === null) outcomes.push(state === "delivered" ? "delivered" : "dropped");
      else {
        await enqueueJob(tx, "deliver-webhook", { org_id: tx.orgId, webhook_id: webhookId }, { runAt });
        outcomes.push("retried");
      }
    }
    return outcomes;
  }

  #recordOf({ attempt, sentAt, durationMs, answer }: SentAttempt, now: Date, isGivenUp: boolean): AttemptRecord {
    const { statusCode, error, bodyStart, retryAfterMs } = answer;
    const verdict = verdictOf(statusCode);
    const attempts = attempt.attempts + 1;
    const firstAttemptAt = attempt.first_attempt_at ?? sentAt;
    const failed = { attempts, firstAttemptAt, now, retryAfterMs, random: this.#random() };
    // A target that is gone and that the webhook does not have any more: the next attempt goes to the one that it has.
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

const recordTries = 3;
const recordPauseMs = 2_000;

// While a database fails over, waiting saves a target from being told twice. Three tries end before the claim does.
async function patiently<T>(record: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await record();
    } catch (error) {
      if (tries === recordTries || !isUnavailable(error)) throw error;
      await sleep(recordPauseMs);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.reason === Reason.UNAVAILABLE;
}
