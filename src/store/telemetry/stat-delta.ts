// What batches added to the counts, until the fold adds it to the cubes: one row a batch, so that ingests of fifty
// runtimes never wait for each other's counters.

import { defineEntity, p } from "@mikro-orm/core";
import { newId } from "../../kit/process/id.ts";
import { runBound } from "../core/bulk.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "StatDelta",
  tableName: "stat_delta",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    projectId: p.uuid(),
    environment: p.text(),
    createdAt: p.datetime(3),
    /** A Tally in its Protobuf form. */
    tally: p.blob(),
  },
});

/** The tally of one batch of one environment. */
export class StatDeltaRow extends schema.class {}
schema.setClass(StatDeltaRow);

/** A tally and the environment that it counts. */
export interface StatDelta {
  readonly projectId: string;
  readonly environment: string;
  readonly tally: Uint8Array;
}

/** Adds a delta. */
export function insertDelta(tx: Transaction, { projectId, environment, tally }: StatDelta): void {
  tx.writeAtEnd(
    "insert into stat_delta (org_id, id, project_id, environment, created_at, tally) values (?, ?, ?, ?, ?, ?)",
    [tx.orgId, newId(), projectId, environment, tx.now, Buffer.from(tally)],
  );
}

/**
 * Removes up to `limit` deltas and returns them. Never by a bound of ids or times: transactions commit in another order
 * than they begin.
 */
export async function takeDeltas(tx: Transaction, limit: number): Promise<StatDelta[]> {
  const rows = await runBound<Row>(
    tx,
    `delete from stat_delta where org_id = $1 and id in
       (select id from stat_delta where org_id = $1 order by id limit $2)
     returning project_id, environment, tally`,
    [tx.orgId, limit],
  );
  return rows.map(deltaOf);
}

/** All deltas that are not folded yet. */
export async function readDeltas(tx: Transaction): Promise<StatDelta[]> {
  const rows = await runBound<Row>(tx, "select project_id, environment, tally from stat_delta where org_id = $1", [
    tx.orgId,
  ]);
  return rows.map(deltaOf);
}

/** Organizations that have deltas, and when the oldest one of each was made. */
export function lookUpUnfolded(database: Lookups): Promise<{ org_id: string; oldest: Date }[]> {
  return database.lookup("organizations_with_deltas", []);
}

interface Row {
  readonly project_id: string;
  readonly environment: string;
  readonly tally: Buffer;
}

function deltaOf({ project_id, environment, tally }: Row): StatDelta {
  return { projectId: project_id, environment, tally };
}
