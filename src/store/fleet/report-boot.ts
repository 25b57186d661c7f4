import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import { type QuotaTerms, type QuotaTermsRow, quotaColumns, quotaTermsOf } from "../tenancy/organization.ts";
import type { InstanceKey } from "./runtime-instance.ts";

const schema = defineEntity({
  name: "ReportBoot",
  tableName: "report_boot",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    environment: p.text().primary(),
    instanceId: p.uuid().primary(),
    /** Chosen by the runtime at the start of its process. */
    bootId: p.uuid().primary(),
    /** Everything up to this spool sequence number was taken; 0 before the first. */
    lastSeq: p.bigint("number"),
    /** From when to when the evaluations were made that were only counted; null when all had records. */
    sampledSince: p.datetime(3).nullable(),
    sampledUntil: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
});

/** A boot of a runtime that sends records of a sample: how far its evaluations were taken. */
export class ReportBootRow extends schema.class {}
schema.setClass(ReportBootRow);

/** A boot of a runtime. */
export interface BootKey extends InstanceKey {
  readonly bootId: string;
}

/** A span of time, both ends included. */
export interface Span {
  readonly since: Date;
  readonly until: Date;
}

/** How far the evaluations of a boot were taken, and on which terms the organization is. */
export interface LockedBoot {
  readonly takenSeq: number;
  readonly terms: QuotaTerms;
}

/**
 * How far the evaluations of the boot were taken; undefined when its environment does not exist. Locked until the commit,
 * so that none is taken twice, together with the environment, so that it is not deleted meanwhile.
 */
export async function lockReportBoot(tx: Transaction, key: BootKey): Promise<LockedBoot | undefined> {
  const [row] = await tx.sql<QuotaTermsRow & { readonly last_seq: string | number }>(
    `with shared as (
       select org_id, project_id, name from environment
       where org_id = ? and project_id = ? and name = ? for key share
     ), boot as (
       insert into report_boot (org_id, project_id, environment, instance_id, boot_id, last_seq, updated_at)
       select org_id, project_id, name, ?::uuid, ?::uuid, 0, ?::timestamptz from shared
       on conflict (org_id, project_id, environment, instance_id, boot_id) do update set updated_at = excluded.updated_at
       returning org_id, last_seq
     )
     select last_seq, ${quotaColumns} from boot join organization on organization.id = boot.org_id`,
    [tx.orgId, key.projectId, key.environment, key.instanceId, key.bootId, tx.now],
  );
  return row && { takenSeq: Number(row.last_seq), terms: quotaTermsOf(row) };
}

/** Says that everything up to `lastSeq` is taken, and when the evaluations were made that are only counted. */
export function advanceReportBoot(
  tx: Transaction,
  key: BootKey,
  { lastSeq, sampled }: { readonly lastSeq: number; readonly sampled: Span | undefined },
): void {
  tx.writeAtEnd(
    `update report_boot set last_seq = ?, sampled_since = least(sampled_since, ?::timestamptz),
       sampled_until = greatest(sampled_until, ?::timestamptz)
     where org_id = ? and project_id = ? and environment = ? and instance_id = ? and boot_id = ?`,
    [
      ...[lastSeq, sampled?.since ?? null, sampled?.until ?? null],
      ...[tx.orgId, key.projectId, key.environment, key.instanceId, key.bootId],
    ],
  );
}

/** Whether some evaluations of this project, environment and time were only counted. */
export async function wasSampled(
  tx: Transaction,
  scope: {
    readonly projectId?: string | undefined;
    readonly environment?: string | undefined;
    readonly since?: Date | undefined;
    readonly until?: Date | undefined;
  },
): Promise<boolean> {
  const rows = await runBound<{ sampled: boolean }>(
    tx,
    `select exists (select 1 from report_boot where org_id = $1 and sampled_since is not null
       and ($2::uuid is null or project_id = $2) and ($3::text is null or environment = $3)
       and ($4::timestamptz is null or sampled_until >= $4) and ($5::timestamptz is null or sampled_since < $5)) as sampled`,
    [tx.orgId, scope.projectId ?? null, scope.environment ?? null, scope.since ?? null, scope.until ?? null],
  );
  return rows[0]?.sampled === true;
}

/** Forgets boots that sent nothing since this moment. */
export async function forgetReportBoots(tx: Transaction, before: Date): Promise<void> {
  await tx.sql("delete from report_boot where org_id = ? and updated_at < ?", [tx.orgId, before]);
}
