import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
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

/** An environment, and the gate there that names a dataset. */
export interface GateOfDataset {
  readonly project: string;
  readonly environment: string;
  readonly gate: string;
}

/** The first gates that name the dataset, at most ten. */
export function gatesOfDataset(tx: Transaction, datasetId: string): Promise<GateOfDataset[]> {
  return runBound(
    tx,
    `select project.name as project, environment.name as environment, gate ->> 'id' as gate
     from gate_set
     join environment on environment.org_id = gate_set.org_id and environment.id = gate_set.environment_id
     join project on project.org_id = environment.org_id and project.id = environment.project_id
     cross join jsonb_array_elements(gate_set.gates) as gate
     where gate_set.org_id = $1 and gate -> 'benchmark' ->> 'datasetId' = $2
     order by 1, 2, 3 limit 10`,
    [tx.orgId, datasetId],
  );
}
