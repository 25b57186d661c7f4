import { defineEntity, p } from "@mikro-orm/core";
import type { Transaction } from "./database.ts";
import { tenantTable } from "./tenant.ts";

const schema = defineEntity({
  name: "RuntimeInstance",
  tableName: "runtime_instance",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    environment: p.text().primary(),
    /** Chosen by the runtime. Part of a longer key, so that no runtime can speak for another environment's. */
    id: p.uuid().primary(),
    softwareVersion: p.text(),
    bundleVersion: p.integer().default(0),
    activationSeq: p.integer().default(0),
    /** Why the newest bundle was refused; empty when it was not. */
    rejection: p.text().default(""),
    /** Evaluations that wait in the runtime's spool. */
    spoolDepth: p.bigint("number").default(0),
    firstSeenAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
  },
});

/** A runtime process that has introduced itself. */
export class RuntimeInstanceRow extends schema.class {}
schema.setClass(RuntimeInstanceRow);

/** Which runtime speaks. */
export interface InstanceKey {
  readonly projectId: string;
  readonly environment: string;
  readonly instanceId: string;
}

/** How a runtime stands. */
export interface InstanceStatus {
  readonly bundleVersion: number;
  readonly activationSeq: number;
  readonly rejection: string;
  readonly spoolDepth: number;
}

/** Notes that a runtime is there. */
export async function touchInstance(tx: Transaction, key: InstanceKey, softwareVersion: string): Promise<void> {
  await tx.sql(
    `insert into runtime_instance
       (org_id, project_id, environment, id, software_version, first_seen_at, last_seen_at) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (org_id, project_id, environment, id) do update
       set software_version = excluded.software_version, last_seen_at = excluded.last_seen_at`,
    [tx.orgId, key.projectId, key.environment, key.instanceId, softwareVersion, tx.now, tx.now],
  );
}

/** Notes how a runtime that has introduced itself stands. */
export async function writeInstanceStatus(tx: Transaction, key: InstanceKey, status: InstanceStatus): Promise<void> {
  await tx.sql(
    `update runtime_instance set bundle_version = ?, activation_seq = ?, rejection = ?, spool_depth = ?, last_seen_at = ?
     where org_id = ? and project_id = ? and environment = ? and id = ?`,
    [
      status.bundleVersion,
      status.activationSeq,
      status.rejection,
      status.spoolDepth,
      tx.now,
      tx.orgId,
      key.projectId,
      key.environment,
      key.instanceId,
    ],
  );
}

/** The runtime, or null. */
export function findInstance(tx: Transaction, key: InstanceKey): Promise<RuntimeInstanceRow | null> {
  const { instanceId, ...place } = key;
  return tx.em.findOne(RuntimeInstanceRow, { orgId: tx.orgId, ...place, id: instanceId });
}
