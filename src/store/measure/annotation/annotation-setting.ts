// How the traces of a project are annotated.

import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";

const schema = defineEntity({
  name: "AnnotationSetting",
  tableName: "annotation_setting",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    quorum: p.integer(),
    /** Traces that the random lane and the informative lane of the queue get a day. */
    targetPerDay: p.integer().default(50),
    informativePerDay: p.integer().default(20),
  },
});

/** The settings of a project. */
export class AnnotationSettingRow extends schema.class {}
schema.setClass(AnnotationSettingRow);

/** The project's settings, or null when it has none of its own. `isLocked` keeps others from changing them. */
export function findAnnotationSetting(tx: Transaction, projectId: string): Promise<AnnotationSettingRow | null> {
  return tx.em.findOne(AnnotationSettingRow, { orgId: tx.orgId, projectId });
}
