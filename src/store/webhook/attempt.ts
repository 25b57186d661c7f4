import { defineEntity, p } from "@mikro-orm/core";
import { idArray } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import type { ClaimedDelivery, DeliveryState } from "./delivery.ts";

const schema = defineEntity({
  name: "WebhookAttempt",
  tableName: "webhook_attempt",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    /** From 1. */
    number: p.integer().primary(),
    startedAt: p.datetime(3),
    durationMs: p.integer(),
    statusCode: p.integer().nullable(),
    error: p.text().nullable(),
    /** The beginning of the answer's body; null when there was no answer. */
    answer: p.text().nullable(),
  },
});

/** One request to the target of a delivery. */
export class WebhookAttemptRow extends schema.class {}
schema.setClass(WebhookAttemptRow);

/** The result of an attempt, and the new state of its delivery. */
export interface AttemptRecord {
  readonly claim: Pick<ClaimedDelivery, "id" | "claim_id">;
  readonly state: DeliveryState;
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  /** The beginning of the answer's body; null when there was no answer. */
  readonly answer: string | null;
  readonly nextAttemptAt: Date | null;
  readonly firstAttemptAt: Date;
}

/**
 * Writes the results of any number of attempts in one statement. Returns the ids of the deliveries whose claim was
 * still valid: the others are attempted by another process.
 */
export async function recordAttempts(tx: Transaction, records: readonly AttemptRecord[]): Promise<ReadonlySet<string>> {
  const given = records.map(({ claim, ...record }) => ({
    id: claim.id,
    claim_id: claim.claim_id,
    state: record.state,
    attempts: record.attempts,
    started_at: record.startedAt,
    duration_ms: record.durationMs,
    status_code: record.statusCode,
    error: record.error,
    answer: record.answer,
    next_attempt_at: record.nextAttemptAt,
    first_attempt_at: record.firstAttemptAt,
    finished_at: record.state === "pending" ? null : tx.now,
  }));
  const rows = await tx.sql<{ id: string }>(
    `with given as (
       select * from json_to_recordset(?::json) as given(
         id uuid, claim_id uuid, state text, attempts int, started_at timestamptz, duration_ms int, status_code int,
         error text, answer text, next_attempt_at timestamptz, first_attempt_at timestamptz, finished_at timestamptz)),
     recorded as (
       update webhook_delivery d
       set state = given.state, attempts = given.attempts, status_code = given.status_code, error = given.error,
           next_attempt_at = given.next_attempt_at, first_attempt_at = given.first_attempt_at,
           finished_at = given.finished_at, claim_id = null, claimed_until = null
       from given where d.org_id = ? and d.id = any(?::uuid[]) and d.id = given.id
         and d.claim_id is not distinct from given.claim_id
       returning d.id)
     insert into webhook_attempt (org_id, delivery_id, number, started_at, duration_ms, status_code, error, answer)
     select ?, given.id, given.attempts, given.started_at, given.duration_ms, given.status_code, given.error, given.answer
     from given join recorded on recorded.id = given.id
     returning delivery_id as id`,
    [JSON.stringify(given), tx.orgId, idArray(given.map(({ id }) => id)), tx.orgId],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The attempts of the delivery, the first one first. */
export function listAttempts(tx: Transaction, deliveryId: string): Promise<WebhookAttemptRow[]> {
  return tx.em.find(WebhookAttemptRow, { orgId: tx.orgId, deliveryId }, { orderBy: { number: "asc" } });
}
