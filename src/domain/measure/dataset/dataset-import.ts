// Imports of files into datasets: of a body as it comes, or of an address by a run.

import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound, reasonRule } from "../../../kit/fault/fault.ts";
import type { NetworkGuard } from "../../../kit/net/outbound/guard.ts";
import { newId } from "../../../kit/process/id.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import type { DatasetRow } from "../../../store/measure/dataset/dataset.ts";
import {
  countOpenImports,
  DatasetImportRow,
  findImport,
  listImports,
} from "../../../store/measure/dataset/dataset-import.ts";
import { endRun } from "../../../store/run/run.ts";
import { addRun, wakeNextRuns } from "../../run/run.ts";
import { assertNoImport, requireDataset, requireLockedDataset } from "./dataset.ts";
import { catalogEntry } from "./dataset-catalog.ts";
import { checkedBytes, plainBytes } from "./import-bytes.ts";
import { type ImportMapping, readMapping } from "./import-mapping.ts";
import type { ImportFormat } from "./import-record.ts";
import { abandonWithin, type BegunImport, type ImportParts, type ImportTerms, ImportWriter } from "./import-write.ts";

/** Bodies that an organization sends at once. */
const maxOpenImports = 4;

/** What is to be imported, as callers say it. */
export interface ImportInput {
  readonly format: ImportFormat;
  /** As JSON. */
  readonly mapping?: string | undefined;
  readonly onDuplicate: ImportTerms["onDuplicate"];
  readonly sha256?: string | undefined;
}

/** An import that a run makes, as the run keeps it. */
export type FetchSpec = {
  readonly dataset_id: string;
  /** The address; empty for a file that ships. */
  readonly url: string;
  readonly sha256: string | null;
  readonly format: ImportFormat;
  readonly mapping: string | null;
  readonly on_duplicate: ImportTerms["onDuplicate"];
};

/** Imports files, and says what came of it. */
export class DatasetImports {
  readonly #parts: ImportParts;
  readonly #guard: NetworkGuard;

  constructor(parts: ImportParts, guard: NetworkGuard) {
    this.#parts = parts;
    this.#guard = guard;
  }

  /** Imports a body. When it throws, or the signal ends it, the dataset is as it was. */
  async importBody(
    caller: Caller,
    datasetId: string,
    input: ImportInput,
    { file, signal }: { readonly file: AsyncIterable<Uint8Array>; readonly signal: AbortSignal },
  ): Promise<DatasetImportRow> {
    const own = readMapping(input.mapping);
    const { catalogId, ...begun } = await this.#begin(caller, datasetId, input.format);
    const mapping = input.mapping === undefined ? readMapping(catalogMapping(catalogId)) : own;
    const writer = new ImportWriter(this.#parts, begun, { ...input, mapping });
    let sha256: string | null = null;
    const onDigest = (found: string) => {
      sha256 = found;
    };
    try {
      await writer.read(plainBytes(checkedBytes(file, { expected: input.sha256, onDigest })));
      return await this.#parts.database.transaction(caller, async (tx) => {
        // A body that broke off may look like one that has ended; the call is over by then.
        signal.throwIfAborted();
        const row = await writer.finish(tx, caller.credential.label);
        tx.changed({ resource: `dataset/${row.datasetId}`, before: null, after: { ...auditView(row), sha256 } });
        return row;
      });
    } catch (error) {
      await writer.fail(failureOf(error));
      throw named(error, begun.id);
    }
  }

  /** Adds a run that fetches a file and imports it. Throws address_refused. */
  async importUrl(caller: Caller, datasetId: string, url: string, input: ImportInput): Promise<DatasetImportRow> {
    readMapping(input.mapping);
    await this.#guard.check(url);
    return this.#parts.database.transaction(caller, async (tx) => {
      const dataset = await requireLockedDataset(tx, caller, datasetId);
      const row = await addFetch(tx, caller, dataset, { url, ...input });
      const after = { ...auditView(row), url: new URL(url).origin };
      tx.changed({ resource: `dataset/${row.datasetId}`, before: null, after });
      return row;
    });
  }

  /** A page of imports, newest first. */
  list(caller: Caller, datasetId: string, page: Page): Promise<[DatasetImportRow[], number]> {
    return this.#parts.database.read(caller.orgId, async (tx) => {
      await requireDataset(tx, caller, datasetId);
      return listImports(tx, datasetId, page);
    });
  }

  /** The import. */
  get(caller: Caller, datasetId: string, id: string): Promise<DatasetImportRow> {
    return this.#parts.database.read(caller.orgId, (tx) => requireImport(tx, caller, datasetId, id));
  }

  /** Ends the import, which leaves no version. */
  cancel(caller: Caller, datasetId: string, id: string): Promise<DatasetImportRow> {
    return this.#parts.database.transaction(caller, async (tx) => {
      await requireLockedDataset(tx, caller, datasetId);
      const found = await requireImport(tx, caller, datasetId, id);
      const row = await abandonWithin(tx, { id: found.id }, { state: "canceled", error: null });
      if (row === null) throw new Fault(Reason.CONFLICT, "the import has ended");
      if (await endRun(tx, row.id, { state: "canceled" })) await wakeNextRuns(tx);
      tx.changed({ resource: `dataset/${row.datasetId}`, before: null, after: auditView(row) });
      return row;
    });
  }

  #begin(
    caller: Caller,
    datasetId: string,
    format: ImportFormat,
  ): Promise<BegunImport & { readonly catalogId: string | null }> {
    return this.#parts.database.transaction(caller, async (tx) => {
      const dataset = await requireLockedDataset(tx, caller, datasetId);
      assertNoImport(dataset);
      if ((await countOpenImports(tx)) >= maxOpenImports) {
        const message = `${maxOpenImports} files are being imported already; try again when one is through`;
        throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit: maxOpenImports } });
      }
      const createdBy = caller.credential.label;
      const row = addImport(tx, dataset, { id: newId(), state: "running", source: "body", format, createdBy });
      const catalogId = dataset.catalogId ?? null;
      return { orgId: tx.orgId, id: row.id, datasetId, attempt: row.attempt, catalogId };
    });
  }
}

/** Adds an import by an address to a locked dataset, and the run that makes it. */
export async function addFetch(
  tx: Transaction,
  caller: Caller,
  dataset: DatasetRow,
  { url, format, mapping, sha256, onDuplicate }: ImportInput & { readonly url: string },
): Promise<DatasetImportRow> {
  assertNoImport(dataset);
  const spec: FetchSpec = {
    ...{ dataset_id: dataset.id, url, sha256: sha256 ?? null, format },
    mapping: mapping ?? catalogMapping(dataset.catalogId) ?? null,
    on_duplicate: onDuplicate,
  };
  return addImportRun(tx, caller, dataset, { source: "url", spec });
}

/** Adds the import of a file that ships to a locked dataset, and the run that makes it. */
export function addShippedImport(tx: Transaction, caller: Caller, dataset: DatasetRow): Promise<DatasetImportRow> {
  const how = { url: "", sha256: null, format: "jsonl", mapping: null, on_duplicate: "skip" } as const;
  return addImportRun(tx, caller, dataset, { source: "catalog", spec: { dataset_id: dataset.id, ...how } });
}

async function addImportRun(
  tx: Transaction,
  caller: Caller,
  dataset: DatasetRow,
  { source, spec }: { readonly source: DatasetImportRow["source"]; readonly spec: FetchSpec },
): Promise<DatasetImportRow> {
  const createdBy = caller.credential.label;
  const { id } = await addRun(tx, { kind: "dataset_import", spec: { ...spec }, createdBy });
  return addImport(tx, dataset, { id, state: "queued", source, format: spec.format, createdBy });
}

/** Adds an import, for which the dataset is kept from other changes. */
export function addImport(
  tx: Transaction,
  dataset: DatasetRow,
  { state, ...about }: Pick<DatasetImportRow, "id" | "state" | "source" | "format" | "createdBy">,
): DatasetImportRow {
  dataset.state = "importing";
  return tx.em.create(DatasetImportRow, {
    ...{ ...about, orgId: tx.orgId, datasetId: dataset.id, state },
    ...{ attempt: 0, bytes: 0, lines: 0, added: 0, replaced: 0, duplicates: 0, rejected: 0, version: null },
    ...{ problems: null, errorCode: null, errorMessage: null },
    ...{ createdAt: tx.now, touchedAt: tx.now, finishedAt: null },
  });
}

/** What an import failed of, as its row says it. */
export function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof Fault) return { code: reasonRule(error.reason).error, message: error.message };
  if (error instanceof Error && error.name === "AbortError")
    return { code: "canceled", message: "the connection closed before the file was complete" };
  return { code: "internal", message: "an error of the server ended the import; the log says more" };
}

/** The terms of an import that a run makes. */
export function termsOf({ format, mapping, on_duplicate: onDuplicate }: FetchSpec): ImportTerms {
  const read: ImportMapping = readMapping(mapping ?? undefined);
  return { format, mapping: read, onDuplicate };
}

/** The mapping of the entry that a dataset was installed from. */
function catalogMapping(catalogId: string | null | undefined): string | undefined {
  const mapping = catalogId == null ? undefined : catalogEntry(catalogId)?.mapping;
  return mapping == null ? undefined : JSON.stringify(mapping);
}

function named(error: unknown, importId: string): unknown {
  if (!(error instanceof Fault)) return error;
  const { reason, message, extra, headers, context } = error;
  return new Fault(reason, message, { extra: { ...extra, import_id: importId }, headers, context, cause: error });
}

async function requireImport(tx: Transaction, caller: Caller, datasetId: string, id: string) {
  await requireDataset(tx, caller, datasetId);
  const row = await findImport(tx, datasetId, id);
  if (row === null) throw notFound("import");
  return row;
}

/** The import as the log of evidence shows it. */
export function auditView(row: DatasetImportRow) {
  const { id, source, format, state, added, replaced, duplicates, rejected, version } = row;
  return { import_id: id, source, format, state, added, replaced, duplicates, rejected, version: version ?? null };
}
