// Repeats erasures of a ledger that was exported before the database was restored from a backup: the backup may hold
// again what was erased after it was made.

import { validationFailed } from "../../kit/fault/fault.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findRun } from "../../store/run/run.ts";
import { noteErasedSubjects } from "../../store/telemetry/erased-subject.ts";
import { addRun, reportOf } from "../run/run.ts";
import type { RunWorker } from "../run/run-worker.ts";
import { digestKeyId, hasDigestKey, isSubjectKind } from "../telemetry/erased-subject.ts";
import { type ErasureSpec, erasedCountsOf, erasureReach } from "../telemetry/erasure-run.ts";

/** An erasure as `GET /v1/orgs/{org_id}/erasures` answers it. */
export interface LedgerEntry {
  readonly id: string;
  readonly org_id: string;
  readonly created_at: string;
  readonly subject_kind: string;
  readonly subject_digests: readonly string[];
  /** Absent or null in a ledger that is older than this field. */
  readonly digest_key?: string | null;
  readonly reason: string;
}

/** What came of an erasure. */
export type Repeated = { readonly id: string; readonly orgId: string } & (
  | {
      /** Traces, events and entries of evidence that were erased again; undefined where the database knows of it. */
      readonly erased: number | undefined;
    }
  | { readonly failure: unknown }
);

/** Repeats erasures. */
export class ErasureRepeat {
  readonly #database: Database;
  readonly #worker: RunWorker;
  readonly #sealer: Sealer;

  constructor(database: Database, worker: RunWorker, sealer: Sealer) {
    this.#database = database;
    this.#worker = worker;
    this.#sealer = sealer;
  }

  /**
   * Repeats those of a ledger that the database does not know to be finished, one after the other. One that fails does
   * not stop the others.
   */
  async *repeat(ledger: readonly LedgerEntry[]): AsyncGenerator<Repeated, void> {
    for (const entry of ledger) {
      const { id, org_id: orgId } = entry;
      try {
        yield { id, orgId, erased: await this.#repeat(entry) };
      } catch (failure) {
        yield { id, orgId, failure };
      }
    }
  }

  async #repeat({ id, org_id: orgId, ...entry }: LedgerEntry): Promise<number | undefined> {
    const known = await this.#database.read(orgId, (tx) => findRun(tx, "erasure", id));
    if (known?.state === "succeeded") return undefined;
    const { subject_kind: kind, subject_digests: digests, reason, created_at } = entry;
    if (!isSubjectKind(kind))
      throw new Error(`the ledger has an erasure of a kind that this version does not know, ${kind}`);
    const run = await this.#database.systemTransaction(orgId, async (tx) => {
      if (!(await this.#hasKeyOf(tx, entry))) throw unrecognizable(id);
      await noteErasedSubjects(
        tx,
        digests.map((digest) => Buffer.from(digest, "hex")),
      );
      const until = erasureReach(new Date(created_at)).toISOString();
      const keyId = await digestKeyId(tx, this.#sealer);
      const spec = { kind, digests: [...digests], keyId, reason, until } satisfies ErasureSpec;
      return addRun(tx, { kind: "erasure", spec, createdBy: `repeated/${id}` });
    });
    for (;;) {
      await this.#worker.work({ org_id: orgId, run_id: run.id });
      const row = await this.#database.read(orgId, (tx) => findRun(tx, "erasure", run.id));
      if (row === null || row.state === "failed") throw new Error(`the erasure ${id} failed: ${row?.errorMessage}`);
      if (row.finishedAt == null) continue;
      const { traces, events, evidence } = erasedCountsOf(reportOf(row));
      return traces + events + evidence;
    }
  }

  /** With another key than the ledger's, nobody would be recognized, and nothing erased without a word. */
  async #hasKeyOf(tx: Transaction, { digest_key: keyId }: Pick<LedgerEntry, "digest_key">): Promise<boolean> {
    return (await hasDigestKey(tx)) && (keyId == null || keyId === (await digestKeyId(tx, this.#sealer)));
  }
}

function unrecognizable(id: string): Error {
  return new Error(
    "the backup is older than the key of the ledger's hashes, which recognize nobody in it: erase the subject of " +
      `${id} again by its name, with POST /v1/orgs/{org_id}/erasures; after-restore goes on without a ledger, by --continue`,
  );
}

/**
 * Reads ledgers: answers of `GET /v1/orgs/{org_id}/erasures`, of whichever organizations and as many pages as there
 * are. Throws when one of them is something else, or when a page of an organization is missing: what was erased would
 * stay where the backup has it.
 */
export function readLedgers(answers: readonly unknown[]): LedgerEntry[] {
  const pages = answers.map(pageOf);
  const found = new Map(pages.flatMap(({ entries }) => entries.map((entry) => [entry.id, entry])));
  for (const { entries, total } of pages) {
    const orgId = entries[0]?.org_id;
    const given = [...found.values()].filter((entry) => entry.org_id === orgId).length;
    if (given >= total) continue;
    const message =
      `the ledger of ${orgId ?? "an organization"} has ${total} erasures, and ${given} of them were given: fetch the ` +
      "other pages with ?limit=200&offset=200 and so on, and give all the files";
    throw validationFailed([{ field: "erasures", message }]);
  }
  return [...found.values()];
}

function pageOf(answer: unknown): { readonly entries: readonly LedgerEntry[]; readonly total: number } {
  const isPage = typeof answer === "object" && answer !== null && "erasures" in answer;
  const entries = isPage ? answer.erasures : answer;
  if (!Array.isArray(entries) || !entries.every(isEntry)) throw notALedger();
  const total = isPage && "total" in answer && typeof answer.total === "number" ? answer.total : entries.length;
  return { entries, total };
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
  return validationFailed([{ field: "erasures", message }]);
}
