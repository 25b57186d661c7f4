// Repeats erasures of a ledger that was exported before the database was restored from a backup: the backup may hold
// again what was erased after it was made.

import { validationFailed } from "../../kit/fault/fault.ts";
import type { Database } from "../../store/connection/database.ts";
import { findRun } from "../../store/run/run.ts";
import { noteErasedSubjects } from "../../store/telemetry/erased-subject.ts";
import { addRun, reportOf } from "../run/run.ts";
import type { RunWorker } from "../run/run-worker.ts";
import { isSubjectKind } from "../telemetry/erased-subject.ts";
import { type ErasureSpec, erasedCountsOf, erasureReach } from "../telemetry/erasure-run.ts";

/** An erasure as `GET /v1/orgs/{org_id}/erasures` answers it. */
interface LedgerEntry {
  readonly id: string;
  readonly org_id: string;
  readonly created_at: string;
  readonly subject_kind: string;
  readonly subject_digests: readonly string[];
  readonly reason: string;
}

/** What came of an erasure. */
export interface Repeated {
  readonly id: string;
  /** Traces, events and entries of evidence that were erased again; undefined where the erasure is in the database. */
  readonly erased: number | undefined;
}

/** Repeats erasures. */
export class ErasureRepeat {
  readonly #database: Database;
  readonly #worker: RunWorker;

  constructor(database: Database, worker: RunWorker) {
    this.#database = database;
    this.#worker = worker;
  }

  /** Repeats those of an exported ledger that the database does not know to be finished, one after the other. */
  async *repeat(ledger: unknown): AsyncGenerator<Repeated, void> {
    for (const entry of entriesOf(ledger)) yield await this.#repeat(entry);
  }

  async #repeat({ id, org_id: orgId, ...entry }: LedgerEntry): Promise<Repeated> {
    const known = await this.#database.read(orgId, (tx) => findRun(tx, "erasure", id));
    if (known?.state === "succeeded") return { id, erased: undefined };
    const { subject_kind: kind, subject_digests: digests, reason, created_at } = entry;
    if (!isSubjectKind(kind)) throw notALedger();
    const run = await this.#database.systemTransaction(orgId, async (tx) => {
      await noteErasedSubjects(
        tx,
        digests.map((digest) => Buffer.from(digest, "hex")),
      );
      const until = erasureReach(new Date(created_at)).toISOString();
      const spec = { kind, digests: [...digests], reason, until } satisfies ErasureSpec;
      return addRun(tx, { kind: "erasure", spec, createdBy: `repeated/${id}` });
    });
    for (;;) {
      await this.#worker.work({ org_id: orgId, run_id: run.id });
      const row = await this.#database.read(orgId, (tx) => findRun(tx, "erasure", run.id));
      if (row === null || row.state === "failed") throw new Error(`the erasure ${id} failed: ${row?.errorMessage}`);
      if (row.finishedAt == null) continue;
      const { traces, events, evidence } = erasedCountsOf(reportOf(row));
      return { id, erased: traces + events + evidence };
    }
  }
}

function entriesOf(ledger: unknown): readonly LedgerEntry[] {
  const entries = typeof ledger === "object" && ledger !== null && "erasures" in ledger ? ledger.erasures : ledger;
  if (!Array.isArray(entries) || !entries.every(isEntry)) throw notALedger();
  return entries;
}

function isEntry(value: unknown): value is LedgerEntry {
  if (typeof value !== "object" || value === null) return false;
  const entry: Readonly<Record<string, unknown>> = { ...value };
  const texts = ["id", "org_id", "created_at", "subject_kind", "reason"].map((name) => entry[name]);
  const digests = entry.subject_digests;
  return (
    texts.every((text) => typeof text === "string") &&
    Array.isArray(digests) &&
    digests.every((digest) => typeof digest === "string" && /^[0-9a-f]{64}$/.test(digest))
  );
}

function notALedger() {
  const message = "expected what GET /v1/orgs/{org_id}/erasures answers";
  return validationFailed([{ field: "ledger", message }]);
}
