import { defineEntity, p } from "@mikro-orm/core";
import { newId } from "../../kit/process/id.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "BillingNotice",
  tableName: "billing_notice",
  ...tenantTable,
  uniques: [{ name: "billing_notice_once", properties: ["orgId", "kind", "about"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text(),
    /** What makes it the same notice: the organization is told of it once. */
    about: p.text(),
    projectId: p.uuid().nullable(),
    value: p.bigint("number"),
    /** Whether the worker has yet to mail it. */
    mailDue: p.boolean().default(false),
    createdAt: p.datetime(3),
  },
});

/** Something that an organization's admins were told of. */
export class BillingNoticeRow extends schema.class {}
schema.setClass(BillingNoticeRow);

/** A notice as it is shown. */
export interface ShownNotice {
  readonly kind: string;
  readonly projectId: string | null;
  readonly value: number;
  readonly at: Date;
}

/** A notice before it is stored. */
export interface NewNotice {
  readonly kind: string;
  readonly about: string;
  readonly projectId?: string;
  readonly value: number;
  readonly isMailDue: boolean;
}

/** Adds a notice. Returns its id; undefined when the organization was told of it before. */
export async function insertBillingNotice(tx: Transaction, notice: NewNotice): Promise<string | undefined> {
  const { kind, about, projectId = null, value, isMailDue } = notice;
  const [row] = await tx.sql<{ id: string }>(
    `insert into billing_notice (org_id, id, kind, about, project_id, value, mail_due, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (org_id, kind, about) do nothing returning id`,
    [tx.orgId, newId(), kind, about, projectId, value, isMailDue, tx.now],
  );
  return row?.id;
}

/** Marks a notice as mailed. Returns false when it was before, or is gone. */
export async function takeDueMail(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.sql(
    "update billing_notice set mail_due = false where org_id = ? and id = ? and mail_due returning id",
    [tx.orgId, id],
  );
  return rows.length > 0;
}

/** Every notice since this moment, newest first: those of usage too. */
export async function listNotices(tx: Transaction, since: Date): Promise<ShownNotice[]> {
  const rows = await tx.sql<{ kind: string; project_id: string | null; value: string; created_at: Date }>(
    `select kind, project_id, value, created_at from billing_notice where org_id = ? and created_at >= ?
     union all
     select 'usage_' || percent, null, value, created_at from usage_notice where org_id = ? and created_at >= ?
     order by 4 desc, 1 limit 100`,
    [tx.orgId, since, tx.orgId, since],
  );
  return rows.map((row) => ({
    kind: row.kind,
    projectId: row.project_id,
    value: Number(row.value),
    at: row.created_at,
  }));
}
