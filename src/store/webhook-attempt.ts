import { defineEntity, p } from "@mikro-orm/core";
import type { Transaction } from "./database.ts";
import { tenantTable } from "./tenant.ts";

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

/** An attempt as it is written. */
export type NewAttempt = Required<Pick<WebhookAttemptRow, "number" | "startedAt" | "durationMs">> & {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly answer: string | null;
};

/** Writes an attempt of the delivery. */
export async function insertAttempt(tx: Transaction, deliveryId: string, attempt: NewAttempt): Promise<void> {
  const { number, startedAt, durationMs, statusCode, error, answer } = attempt;
  await tx.sql(
    `insert into webhook_attempt (org_id, delivery_id, number, started_at, duration_ms, status_code, error, answer)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    [tx.orgId, deliveryId, number, startedAt, durationMs, statusCode, error, answer],
  );
}

/** The attempts of the delivery, the first one first. */
export function listAttempts(tx: Transaction, deliveryId: string): Promise<WebhookAttemptRow[]> {
  return tx.em.find(WebhookAttemptRow, { orgId: tx.orgId, deliveryId }, { orderBy: { number: "asc" } });
}
