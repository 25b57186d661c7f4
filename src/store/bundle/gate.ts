import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

/** A gate as it is stored. The domain knows its form. */
export type StoredGate = JsonObject;

const schema = defineEntity({
  name: "GateSet",
  tableName: "gate_set",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    environmentId: p.uuid().primary(),
    /** Grows by one with each change. */
    version: p.integer(),
    gates: p.json<readonly StoredGate[]>(),
    updatedAt: p.datetime(3),
    updatedBy: p.text(),
  },
});

/** The gates that an environment defines for itself. */
export class GateSetRow extends schema.class {}
schema.setClass(GateSetRow);

/** The environment's gates, or null when none were ever set. */
export function findGateSet(tx: Transaction, environmentId: string): Promise<GateSetRow | null> {
  return tx.em.findOne(GateSetRow, { orgId: tx.orgId, environmentId }, { refresh: true });
}
