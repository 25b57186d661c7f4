// One attempt to deliver, in three steps: claim it in a transaction, send outside of any, record what came of it in another.
// A process that dies between leaves a claim that runs out, and the same attempt is made again under the same number.
// Claims and records are made for many deliveries in one transaction.

import type { Clock } from "../kit/clock.ts";
import type { Outbound } from "../kit/outbound/client.ts";
import type { Sealer } from "../kit/seal.ts";
import type { Database } from "../store/database.ts";
import { type DeliveryTarget, lockTarget } from "../store/webhook.ts";
import { type ClaimedDelivery, claimDue, dropPending, releaseClaims } from "../store/webhook-delivery.ts";
import { attemptTimeoutMs, inactiveError } from "./delivery.ts";
import { type AttemptOutcome, DeliveryRecorder } from "./delivery-recorder.ts";
import type { WebhookAddress } from "./job.ts";
import { openSecrets, type SendAnswer, type SigningSecrets, sendToWebhook } from "./webhook-request.ts";

/** Attempts to one webhook at once, over all processes. */
export const maxPerWebhook = 4;

// Longer than an attempt can take, with time to record it.
const claimMs = 3 * attemptTimeoutMs;

/** An attempt that this process is to make. */
export interface Attempt extends ClaimedDelivery {
  readonly webhook: DeliveryTarget;
  readonly secrets: SigningSecrets;
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
  readonly outcome: AttemptOutcome;
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
      readonly random?: () => number;
    },
  ) {
    this.#database = database;
    this.#clock = options.clock;
    this.#sealer = options.sealer;
    this.#outbound = options.outbound;
    this.#recorder = new DeliveryRecorder(database, options.random ?? Math.random);
  }

  /**
   * Claims up to `most` due deliveries of the webhook, unless another process sends to it: one at a time does, and keeps to
   * `maxPerWebhook`. `own` are claims that this process still works on.
   */
  claim({ org_id, webhook_id }: WebhookAddress, most: number, own: readonly string[] = []): Promise<Claimed> {
    return this.#database.systemTransaction(org_id, async (tx) => {
      const webhook = await lockTarget(tx, webhook_id);
      if (webhook === undefined) return { attempts: [], mayHaveMore: false };
      if (!webhook.isActive) {
        // Of an event that was published while the webhook was being deactivated.
        await dropPending(tx, webhook_id, inactiveError);
        return { attempts: [], mayHaveMore: false };
      }
      const claims = await claimDue(tx, webhook_id, { most, until: new Date(tx.now.getTime() + claimMs), own });
      if (claims === undefined) return { attempts: [], mayHaveMore: true };
      const secrets = openSecrets(this.#sealer, webhook, tx.now);
      return { attempts: claims.map((claim) => ({ ...claim, webhook, secrets })), mayHaveMore: claims.length === most };
    });
  }

  /** Gives back what was claimed and has not been begun. */
  release(orgId: string, attempts: readonly Attempt[]): Promise<void> {
    return this.#database.systemTransaction(orgId, (tx) => releaseClaims(tx, attempts));
  }

  /** Sends, and records what came of it. */
  async make(attempt: Attempt): Promise<AttemptResult> {
    const startedAt = performance.now();
    const sentAt = this.#clock.now();
    const answer = await this.#send(attempt, sentAt);
    const sendMs = performance.now() - startedAt;
    const outcome = await this.#recorder.record({ attempt, sentAt, durationMs: Math.round(sendMs), answer });
    const durationMs = performance.now() - startedAt;
    return { event: attempt.event, outcome, statusCode: answer.statusCode, sendMs, durationMs };
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
