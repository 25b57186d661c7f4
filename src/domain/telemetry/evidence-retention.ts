// Retention of the log of evidence: past it an entry loses its leaf and its openings. Its hash stays, so that the tree,
// and every proof about other entries, stay as they are.

import { forgetAction } from "../../kit/evidence/known-entry.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import type { Database } from "../../store/connection/database.ts";
import { forgetEntries, writeAuditEntry } from "../../store/telemetry/audit-entry.ts";
import { findOrganization, lookUpOrganizations } from "../../store/tenancy/organization.ts";
import { serviceCaller } from "../service-caller.ts";
import { type RetentionOptions, retentionOf } from "./retention.ts";

const dayMs = 86_400_000;

/** Entries that one transaction forgets, and that one entry tells of. */
const entriesAtOnce = 10_000;

/** Forgets entries past their retention. */
export class EvidenceRetention {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #options: RetentionOptions;

  constructor(database: Database, clock: Clock, options: RetentionOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  /** Forgets the entries of every organization that are past its retention. Returns how many. */
  async purge(): Promise<number> {
    let forgotten = 0;
    for (const { id } of await lookUpOrganizations(this.#database)) forgotten += await this.#purgeOne(id);
    return forgotten;
  }

  async #purgeOne(orgId: string): Promise<number> {
    const { effectiveEvidenceDays } = retentionOf(await this.#database.read(orgId, findOrganization), this.#options);
    const before = new Date(this.#clock.now().getTime() - effectiveEvidenceDays * dayMs);
    let total = 0;
    for (let entries = entriesAtOnce; entries === entriesAtOnce; total += entries) {
      entries = await this.#database.systemTransaction(orgId, async (tx) => {
        const forgotten = await forgetEntries(tx, before, entriesAtOnce);
        if (forgotten.entries === 0) return 0;
        const author = serviceCaller(orgId, { action: forgetAction, requestId: newId(), address: "" });
        // With it an export proves what it leaves out (kit/evidence/log-verifier.ts).
        const after = {
          ...{ entries: forgotten.entries, first_kept: forgotten.firstKept },
          made_before: before.toISOString(),
        };
        await writeAuditEntry(tx, author, { resource: "evidence", before: null, after });
        return forgotten.entries;
      });
    }
    return total;
  }
}
