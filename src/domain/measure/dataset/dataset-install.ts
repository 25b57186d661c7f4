// Installs datasets of the catalog. What ships is there at once; a collection of others is fetched from the address
// that the caller names, or waits for the caller's upload. Nothing is fetched unasked.

import { notFound, validationFailed } from "../../../kit/fault/fault.ts";
import type { NetworkGuard } from "../../../kit/net/outbound/guard.ts";
import { newId } from "../../../kit/process/id.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import { addDataset, type Dataset, namesAreUnique, requireDataset, withDigest } from "./dataset.ts";
import { type CatalogEntry, catalogEntry, shippedFile } from "./dataset-catalog.ts";
import { addFetch, addImport, addShippedImport, failureOf } from "./dataset-import.ts";
import { plainBytes } from "./import-bytes.ts";
import { readMapping } from "./import-mapping.ts";
import { type ImportParts, ImportWriter } from "./import-write.ts";

/** Samples of an entry that one call imports; a run does it for larger ones. */
const rowsAtOnce = 10_000;

/** What to install. */
export interface InstallInput {
  /** Id or name of the entry. */
  readonly catalogId: string;
  readonly acceptsLicence: boolean;
  readonly url?: string | undefined;
  /** Of the file at the address. Default: that of the catalog, if it has one. */
  readonly sha256?: string | undefined;
  readonly projectId?: string | undefined;
  /** Default: the entry's own. */
  readonly name?: string | undefined;
}

/** Installs datasets of the catalog. */
export class DatasetInstalls {
  readonly #parts: ImportParts;
  readonly #guard: NetworkGuard;

  constructor(parts: ImportParts, guard: NetworkGuard) {
    this.#parts = parts;
    this.#guard = guard;
  }

  /** Installs an entry. */
  async install(caller: Caller, input: InstallInput): Promise<Dataset> {
    const entry = catalogEntry(input.catalogId);
    if (entry === undefined) throw notFound("entry of the catalog");
    if (!input.acceptsLicence)
      throw validationFailed([
        { field: "accept_licence", message: `read ${entry.licence.spdx}, and accept it by true` },
      ]);
    if (input.sha256 !== undefined && input.url === undefined)
      throw validationFailed([{ field: "sha256", message: "is that of the file at url; leave it out without one" }]);
    if (entry.kind === "builtin") {
      if (input.url === undefined && entry.rows > rowsAtOnce) return this.#orderShipped(caller, entry, input);
      if (input.url === undefined) return this.#installShipped(caller, entry, input);
      throw validationFailed([{ field: "url", message: "this dataset ships with the product; leave url out" }]);
    }
    if (input.url !== undefined) await this.#guard.check(input.url);
    return this.#installForeign(caller, entry, input);
  }

  #installForeign(caller: Caller, entry: CatalogEntry, input: InstallInput): Promise<Dataset> {
    const { url, sha256 } = input;
    return namesAreUnique(
      this.#parts.database.transaction(caller, async (tx) => {
        const row = await addDataset(tx, caller, { ...datasetOf(entry, input), state: "awaiting_upload" });
        const [file] = entry.files;
        if (url !== undefined && file !== undefined)
          await addFetch(tx, caller, row, {
            ...{ url, format: file.format, onDuplicate: "skip" },
            sha256: sha256 ?? file.sha256 ?? undefined,
          });
        return { row, digest: null };
      }),
    );
  }

  #orderShipped(caller: Caller, entry: CatalogEntry, input: InstallInput): Promise<Dataset> {
    return namesAreUnique(
      this.#parts.database.transaction(caller, async (tx) => {
        const row = await addDataset(tx, caller, { ...datasetOf(entry, input), state: "ready" });
        await addShippedImport(tx, caller, row);
        return { row, digest: null };
      }),
    );
  }

  async #installShipped(caller: Caller, entry: CatalogEntry, input: InstallInput): Promise<Dataset> {
    const { database } = this.#parts;
    const createdBy = caller.credential.label;
    const begun = await namesAreUnique(
      database.transaction(caller, async (tx) => {
        const row = await addDataset(tx, caller, { ...datasetOf(entry, input), state: "ready" });
        const about = { state: "running", source: "catalog", format: "jsonl" } as const;
        const added = addImport(tx, row, { id: newId(), ...about, createdBy });
        return { orgId: tx.orgId, id: added.id, datasetId: row.id, attempt: added.attempt };
      }),
    );
    const terms = { format: "jsonl", mapping: readMapping(undefined), onDuplicate: "skip" } as const;
    const writer = new ImportWriter(this.#parts, begun, terms);
    try {
      await writer.read(plainBytes(shippedFile(entry)));
      return await database.transaction(caller, async (tx) => {
        await writer.finish(tx, createdBy);
        await tx.em.flush();
        return withDigest(tx, await requireDataset(tx, caller, begun.datasetId));
      });
    } catch (error) {
      await writer.fail(failureOf(error));
      throw error;
    }
  }
}

function datasetOf(entry: CatalogEntry, { name = entry.name, projectId }: InstallInput) {
  const { id: catalogId, title: description, licence } = entry;
  const { spdx, url } = licence;
  return { name, description, projectId, catalogId, licence: { spdx, ...(url === null ? {} : { url }) } };
}
