// One attempt to deliver, in three steps: claim it in a transaction, send outside of any, record the result in another.
// When a process dies in between, its claim expires, and the same attempt is made again under the same number. One
// transaction claims or records many deliveries.

import type { Outbound } from "../../kit/net/outbound/client.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import { claimDue, dropPending, releaseClaims } from "../../store/webhook/delivery.ts";
import { lockTarget } from "../../store/webhook/webhook.ts";
import type { WebhookAddress } from "../job.ts";
import type { TransactionalMailer } from "../mail/mail.ts";
import type { Attempt } from "./attempt.ts";
import { attemptTimeoutMs, inactiveError } from "./delivery.ts";
import { type AttemptOutcome, DeliveryRecorder } from "./delivery-recorder.ts";
import { openSecrets, type SendAnswer, sendToWebhook } from "./request.ts";

/** Concurrent attempts for one webhook, over all processes. */
export const maxPerWebhook = 4;

// Longer than an attempt can take, with time to record it.
const claimMs = 3 * attemptTimeoutMs;

/** The result of a claim. */
export interface Claimed {
  readonly attempts: readonly Attempt[];
  /** Whether more may be due than could be claimed. */
  readonly mayHaveMore: boolean;
}

/** The result of an attempt. */
export interface AttemptResult {
  readonly event: string;
  readonly outcome: AttemptOutcome;
  /** Whether the webhook is not active anymore. */
  readonly isGivenUp: boolean;
  readonly statusCode: number | null;
  /** Time of the request alone. */
  readonly sendMs: number;
  readonly durationMs: number;
}

/** Makes attempts. */
export class DeliveryAttempts {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #outbound: Outbound;
  readonly #clock: Clock;
  readonly #recorder: DeliveryRecorder;

  constructor(
    database: Database,
    options: {
      readonly sealer: Sealer;
      readonly outbound: Outbound;
      readonly clock: Clock;
      /** Undefined when mail is not configured. */
      readonly mailer?: TransactionalMailer | undefined;
      readonly random?: () => number;
    },
  ) {
    this.#database = database;
    this.#clock = options.clock;
    this.#sealer = options.sealer;
    this.#outbound = options.outbound;
    this.#recorder = new DeliveryRecorder(database, { random: options.random ?? Math.random, mailer: options.mailer });
  }

  /**
   * Claims up to `limit` due deliveries of the webhook, unless another process sends to it: only one process at a time
   * does, with at most `maxPerWebhook` requests. `own` are the ids of claims that this process still works on.
   */
  claim({ org_id, webhook_id }: WebhookAddress, limit: number, own: readonly string[] = []): Promise<Claimed> {
    return this.#database.systemTransaction(org_id, async (tx) => {
      const webhook = await lockTarget(tx, webhook_id);
      if (webhook === undefined) return { attempts: [], mayHaveMore: false };
      if (!webhook.isActive) {
        // These belong to an event that was published while the webhook was being deactivated.
        await dropPending(tx, webhook_id, inactiveError);
        return { attempts: [], mayHaveMore: false };
      }
      const claims = await claimDue(tx, webhook_id, { limit, until: new Date(tx.now.getTime() + claimMs), own });
      if (claims === undefined) return { attempts: [], mayHaveMore: true };
      const secrets = openSecrets(this.#sealer, webhook, tx.now);
      return {
        attempts: claims.map((claim) => ({ ...claim, webhook, secrets })),
        mayHaveMore: claims.length === limit,
      };
    });
  }

  /** Gives back claimed deliveries that were not sent. */
  release(orgId: string, attempts: readonly Attempt[]): Promise<void> {
    return this.#database.systemTransaction(orgId, (tx) => releaseClaims(tx, attempts));
  }

  /** Sends a delivery and records the result. */
  async make(attempt: Attempt): Promise<AttemptResult> {
    const startedAt = performance.now();
    const sentAt = this.#clock.now();
    const answer = await this.#send(attempt, sentAt);
    const sendMs = performance.now() - startedAt;
    const recorded = await this.#recorder.record({ attempt, sentAt, durationMs: Math.round(sendMs), answer });
    const durationMs = performance.now() - startedAt;
    return { event: attempt.event, ...recorded, statusCode: answer.statusCode, sendMs, durationMs };
  }

  #send(attempt: Attempt, sentAt: Date): Promise<SendAnswer> {
    const { webhook, secrets } = attempt;
    return sendToWebhook(this.#outbound, webhook, {
      id: attempt.event_id,
      event: attempt.event,
      attempt: attempt.attempts + 1,
      sentAt,
      body: Buffer.from(attempt.body, "utf8"),
      ...secrets,
    });
  }
}
