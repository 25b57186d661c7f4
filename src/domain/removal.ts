// Entries of the log of evidence about what retention removes, so that whoever misses something there finds out that it
// was kept as long as it was to be.

import type { JsonObject } from "@bufbuild/protobuf";
import { newId } from "../kit/process/id.ts";
import type { Transaction } from "../store/core/transaction.ts";
import { writeAuditEntry } from "../store/telemetry/audit-entry.ts";
import { serviceCaller } from "./service-caller.ts";

/** Enters, in the transaction that removes it, what retention removed of a resource. */
export function noteRemoval(tx: Transaction, resource: string, removed: JsonObject): Promise<void> {
  const author = serviceCaller(tx.orgId, { action: "retention.remove", requestId: newId(), address: "" });
  return writeAuditEntry(tx, author, { resource, before: null, after: removed });
}
