import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "DetectorBackend",
  tableName: "detector_backend",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    key: p.text().primary(),
    url: p.text(),
    /** As it is written, such as "openai-moderation". */
    shape: p.text(),
    timeoutMs: p.integer(),
    authHeader: p.text().nullable(),
    /** Of a model: the digest that its files must have. */
    digest: p.text().nullable(),
    /** What its labels mean, by the name of a preset. */
    preset: p.text().nullable(),
    /** The model that the server is asked for. */
    model: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A detector that an organization runs itself. */
export class DetectorBackendRow extends schema.class {}
schema.setClass(DetectorBackendRow);

/** The backend, or null when the organization has none with this key. */
export function findDetectorBackend(tx: Transaction, key: string): Promise<DetectorBackendRow | null> {
  return tx.em.findOne(DetectorBackendRow, { orgId: tx.orgId, key });
}

/** A page of backends, by key, and their count. */
export function listDetectorBackends(tx: Transaction, page: Page): Promise<[DetectorBackendRow[], number]> {
  return tx.em.findAndCount(DetectorBackendRow, { orgId: tx.orgId }, { ...page, orderBy: { key: "asc" } });
}

/** Every backend, by key. */
export function allDetectorBackends(tx: Transaction): Promise<DetectorBackendRow[]> {
  return tx.em.find(DetectorBackendRow, { orgId: tx.orgId }, { orderBy: { key: "asc" } });
}

/** How many backends there are. Counting holds back others who change one until the commit. */
export async function countDetectorBackends(tx: Transaction): Promise<number> {
  await tx.sql("select id from organization where id = ? for no key update", [tx.orgId]);
  return tx.em.count(DetectorBackendRow, { orgId: tx.orgId });
}

/** Deletes the backend. */
export async function deleteDetectorBackend(tx: Transaction, key: string): Promise<void> {
  await tx.em.nativeDelete(DetectorBackendRow, { orgId: tx.orgId, key });
}
