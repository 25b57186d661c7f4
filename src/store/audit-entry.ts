// The record of who changed what. Entries of an organization are numbered without a gap and hashed as leaves of a Merkle
// tree (RFC 9162 section 2.1.1), so that later proofs need no rewriting.

import { createHash } from "node:crypto";
import { defineEntity, p } from "@mikro-orm/core";
import { canonicalBytes, canonicalText, digestOf } from "../kit/canonical.ts";
import type { Caller } from "../kit/context.ts";
import type { Change, Transaction } from "./database.ts";
import { tenantTable } from "./tenant.ts";

const headSchema = defineEntity({
  name: "AuditHead",
  tableName: "audit_head",
  ...tenantTable,
  properties: { orgId: p.uuid().primary(), size: p.bigint("number") },
});

/** How many entries an organization has; its row lock numbers them without a gap. */
export class AuditHeadRow extends headSchema.class {}
headSchema.setClass(AuditHeadRow);

const schema = defineEntity({
  name: "AuditEntry",
  tableName: "audit_entry",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    seq: p.bigint("number").primary(),
    /** Canonical JSON of the entry: the bytes that are hashed. */
    leaf: p.text(),
    leafHash: p.blob(),
    action: p.text(),
    actor: p.text(),
    resource: p.text(),
    createdAt: p.datetime(3),
  },
});

/** One entry. */
export class AuditEntryRow extends schema.class {}
schema.setClass(AuditEntryRow);

/** Who made a change, by what, and from where. */
export interface AuditAuthor {
  readonly credential: Pick<Caller["credential"], "id" | "label">;
  readonly audit: Caller["audit"];
}

/** Appends the entry of a change, in the change's own transaction. */
export async function writeAuditEntry(tx: Transaction, caller: AuditAuthor, change: Change): Promise<void> {
  const rows = await tx.sql<{ seq: string }>(
    `insert into audit_head (org_id, size) values (?, 1)
     on conflict (org_id) do update set size = audit_head.size + 1 returning size - 1 as seq`,
    [tx.orgId],
  );
  const seq = Number(rows[0]?.seq);
  const leaf = canonicalText({
    seq,
    org_id: tx.orgId,
    created_at: tx.now.toISOString(),
    action: caller.audit.action,
    actor: caller.credential.label,
    credential: caller.credential.id,
    address: caller.audit.address,
    request_id: caller.audit.requestId,
    resource: change.resource,
    before: valueDigest(change.before),
    after: valueDigest(change.after),
  });
  await tx.sql(
    `insert into audit_entry (org_id, seq, leaf, leaf_hash, action, actor, resource, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    [tx.orgId, seq, leaf, leafHash(leaf), caller.audit.action, caller.credential.label, change.resource, tx.now],
  );
}

function leafHash(leaf: string): Buffer {
  return createHash("sha256").update(Buffer.of(0)).update(leaf).digest();
}

function valueDigest(value: Change["before"]): string | null {
  return value === null ? null : digestOf(canonicalBytes(value));
}
