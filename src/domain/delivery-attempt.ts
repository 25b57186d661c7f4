// One attempt to deliver, in three steps: claim it in a transaction, send outside of any, record what came of it in another.
// A process that dies between leaves a claim that runs out, and the same attempt is made again under the same number.

import { setTimeout as sleep } from "node:timers/promises";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { Clock } from "../kit/clock.ts";
import { Fault } from "../kit/error.ts";
import type { Outbound } from "../kit/outbound/client.ts";
import type { Sealer } from "../kit/seal.ts";
import type { Database, Transaction } from "../store/database.ts";
import { findWebhook, lockWebhook, type WebhookRow } from "../store/webhook.ts";
import { insertAttempt } from "../store/webhook-attempt.ts";
import {
  type AttemptRecord,
  type ClaimedDelivery,
  claimDue,
  countClaims,
  dropPending,
  recordAttempt,
} from "../store/webhook-delivery.ts";
import { attemptTimeoutMs, nextAttemptAt, verdictOf } from "./delivery.ts";
import { enqueueJob, type WebhookAddress } from "./job.ts";
import { openSecrets, type SendAnswer, sendToWebhook } from "./webhook-request.ts";

/** Attempts to one webhook at once, over all processes. */
export const maxPerWebhook = 4;

// Longer than an attempt can take, with time to record it.
const claimMs = 3 * attemptTimeoutMs;

/** An attempt that this process is to make. */
export interface Attempt extends ClaimedDelivery {
  readonly orgId: string;
  readonly webhook: WebhookRow;
}

/** What a claim brought. */
export interface Claimed {
  readonly attempts: readonly Attempt[];
  /** Whether more may be due than could be claimed. */
  readonly mayHaveMore: boolean;
}

/** What came of an attempt. */
export interface AttemptResult {
  readonly event: string;
  readonly outcome: "delivered" | "retried" | "dropped" | "superseded";
  readonly statusCode: number | null;
  readonly durationMs: number;
}

interface SentAttempt {
  readonly sentAt: Date;
  readonly durationMs: number;
  readonly answer: SendAnswer;
}

/** Makes attempts. */
export class DeliveryAttempts {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #outbound: Outbound;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(
    database: Database,
    options: {
      readonly sealer: Sealer;
      readonly outbound: Outbound;
      readonly clock: Clock;
      readonly random?: () => number;
    },
  ) {
    this.#database = database;
    this.#clock = options.clock;
    this.#sealer = options.sealer;
    this.#outbound = options.outbound;
    this.#random = options.random ?? Math.random;
  }

  /** Claims up to `most` due deliveries of the webhook. */
  claim({ org_id, webhook_id }: WebhookAddress, most: number): Promise<Claimed> {
    return this.#database.systemTransaction(org_id, async (tx) => {
      const webhook = await lockWebhook(tx, webhook_id);
      if (webhook === null) return { attempts: [], mayHaveMore: false };
      if (!webhook.isActive) {
        // Of an event that was published while the webhook was being deactivated.
        await dropPending(tx, webhook_id, inactiveError);
        return { attempts: [], mayHaveMore: false };
      }
      const free = Math.max(0, maxPerWebhook - (await countClaims(tx, webhook_id)));
      const wanted = Math.min(most, free);
      const until = new Date(tx.now.getTime() + claimMs);
      const claims = wanted === 0 ? [] : await claimDue(tx, webhook_id, { most: wanted, until });
      return {
        attempts: claims.map((claim) => ({ ...claim, orgId: org_id, webhook })),
        mayHaveMore: claims.length === wanted,
      };
    });
  }

  /** Sends, and records what came of it. */
  async make(attempt: Attempt): Promise<AttemptResult> {
    const startedAt = performance.now();
    const sentAt = this.#clock.now();
    const answer = await this.#send(attempt, sentAt);
    const sent: SentAttempt = { sentAt, durationMs: Math.round(performance.now() - startedAt), answer };
    const outcome = await patiently(() => this.#record(attempt, sent));
    const durationMs = performance.now() - startedAt;
    return { event: attempt.event, outcome, statusCode: answer.statusCode, durationMs };
  }

  #send(attempt: Attempt, sentAt: Date): Promise<SendAnswer> {
    const { webhook } = attempt;
    return sendToWebhook(this.#outbound, webhook, {
      id: attempt.event_id,
      event: attempt.event,
      attempt: attempt.attempts + 1,
      sentAt,
      body: Buffer.from(attempt.body, "utf8"),
      ...openSecrets(this.#sealer, webhook, sentAt),
    });
  }

  #record(attempt: Attempt, { sentAt, durationMs, answer }: SentAttempt): Promise<AttemptResult["outcome"]> {
    const { orgId, webhook } = attempt;
    const { statusCode, error, bodyStart } = answer;
    return this.#database.systemTransaction(orgId, async (tx) => {
      // The webhook is locked before its deliveries, the order in which all take them.
      if (verdictOf(answer.statusCode) === "gone") await deactivate(tx, webhook.id);
      const record = this.#recordOf(attempt, { sentAt, now: tx.now, answer });
      if (!(await recordAttempt(tx, attempt, record))) return "superseded";
      const facts = { startedAt: sentAt, durationMs, statusCode, error, answer: bodyStart };
      await insertAttempt(tx, attempt.id, { number: record.attempts, ...facts });
      const { state, nextAttemptAt: runAt } = record;
      if (runAt === null) return state === "delivered" ? "delivered" : "dropped";
      await enqueueJob(tx, "deliver-webhook", { org_id: orgId, webhook_id: webhook.id }, { runAt });
      return "retried";
    });
  }

  #recordOf(
    attempt: Attempt,
    { sentAt, now, answer }: { readonly sentAt: Date; readonly now: Date; readonly answer: SendAnswer },
  ): AttemptRecord {
    const { statusCode, error, retryAfterMs } = answer;
    const verdict = verdictOf(statusCode);
    const attempts = attempt.attempts + 1;
    const firstAttemptAt = attempt.first_attempt_at ?? sentAt;
    const failed = { attempts, firstAttemptAt, now, retryAfterMs, random: this.#random() };
    const next = verdict === "failed" ? nextAttemptAt(failed) : undefined;
    const state = verdict === "delivered" ? "delivered" : next === undefined ? "dropped" : "pending";
    return { state, attempts, statusCode, error, nextAttemptAt: next ?? null, firstAttemptAt };
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
      if (tries === recordTries || !(error instanceof Fault) || error.reason !== Reason.UNAVAILABLE) throw error;
      await sleep(recordPauseMs);
    }
  }
}

/** What deliveries say that were dropped because their webhook is not active. */
export const inactiveError = "the webhook is not active";

// 410 Gone: the target says that nobody will listen there again.
async function deactivate(tx: Transaction, webhookId: string): Promise<void> {
  await lockWebhook(tx, webhookId);
  const webhook = await findWebhook(tx, webhookId);
  if (webhook === null) return;
  webhook.isActive = false;
  webhook.updatedAt = tx.now;
  await tx.em.flush();
  await dropPending(tx, webhookId, inactiveError);
}
