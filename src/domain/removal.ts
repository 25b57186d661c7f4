// Entries of the log of evidence about what retention removes, so that whoever misses something there finds out that it
// was kept as long as it was to be.

import type { JsonObject } from "@bufbuild/protobuf";
import { newId } from "../kit/process/id.ts";
import type { Database } from "../store/connection/database.ts";
import type { Transaction } from "../store/core/transaction.ts";
import { writeAuditEntry } from "../store/telemetry/audit-entry.ts";
import { hasEntry } from "../store/telemetry/evidence.ts";
import { serviceCaller } from "./service-caller.ts";

const action = "retention.remove";

/** Rows that are removed in batches, each in a transaction of its own, so that nobody has to wait long. */
export interface BatchedRemoval {
  /** Rows of a batch. */
  readonly atOnce: number;
  /** Removes a batch. Returns how many rows that were. */
  readonly remove: (tx: Transaction) => Promise<number>;
  /** What the log of evidence says about all batches together; undefined where it says nothing. */
  readonly entry: { readonly resource: string; readonly removed: JsonObject } | undefined;
}

/** Removes rows in batches. One entry tells it, made with the first batch: the log must not grow with the rows. */
export async function removeInBatches(
  database: Database,
  orgId: string,
  { atOnce, remove, entry }: BatchedRemoval,
): Promise<number> {
  let total = 0;
  for (let rows = atOnce; rows === atOnce; total += rows) {
    rows = await database.systemTransaction(orgId, async (tx) => {
      const gone = await remove(tx);
      if (entry !== undefined && total === 0 && gone > 0) await noteRemoval(tx, entry.resource, entry.removed);
      return gone;
    });
  }
  return total;
}

/** Enters, in the transaction that removes it, what retention removed of a resource. */
export function noteRemoval(tx: Transaction, resource: string, removed: JsonObject): Promise<void> {
  const author = serviceCaller(tx.orgId, { action, requestId: newId(), address: "" });
  return writeAuditEntry(tx, author, { resource, before: null, after: removed });
}

/** Whether just this was entered before. */
export function isRemovalNoted(tx: Transaction, resource: string, removed: JsonObject): Promise<boolean> {
  return hasEntry(tx, action, { resource, before: null, after: removed });
}
