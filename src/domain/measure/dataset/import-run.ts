// Imports by an address, and of large files that ship, as runs. A file comes in one piece, so there is one step:
// whoever takes the run up again begins the file anew, and what was written before is discarded.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, reasonRule } from "../../../kit/fault/fault.ts";
import type { Outbound } from "../../../kit/net/outbound/client.ts";
import { OutboundError } from "../../../kit/net/outbound/error.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { findDataset, lockDataset } from "../../../store/measure/dataset/dataset.ts";
import { lockImport, lookUpStaleImports } from "../../../store/measure/dataset/dataset-import.ts";
import { discardVersion } from "../../../store/measure/dataset/dataset-sample.ts";
import { touchRun } from "../../../store/run/run.ts";
import { writeAuditEntry } from "../../../store/telemetry/audit-entry.ts";
import type { RunAtWork, RunKind, StepResult } from "../../run/run-worker.ts";
import { serviceCaller } from "../../service-caller.ts";
import { catalogEntry, shippedFile } from "./dataset-catalog.ts";
import { auditView, type FetchSpec, failureOf, termsOf } from "./dataset-import.ts";
import { checkedBytes, plainBytes, unreadable } from "./import-bytes.ts";
import { abandonImport, type BegunImport, type ImportParts, ImportWriter } from "./import-write.ts";

const maxRedirects = 5;
/** The largest file that is fetched. */
const maxFetchedBytes = 2 ** 30;
/** Time in which bytes have to come, and in which all of them have to. */
const idleMs = 30_000;
const totalMs = 30 * 60_000;
/** How often a run says that it goes on. */
const touchMs = 10_000;
/** Time without a step after which an import counts as forgotten. */
const forgottenMs = 180_000;
const sweptImports = 1_000;

/** Imports that runs make. */
export class ImportRun implements RunKind {
  readonly #parts: ImportParts;
  readonly #outbound: Outbound;

  constructor(parts: ImportParts, outbound: Outbound) {
    this.#parts = parts;
    this.#outbound = outbound;
  }

  async prepare(run: RunAtWork): Promise<(tx: Transaction) => Promise<StepResult>> {
    const spec = run.spec as unknown as FetchSpec; // written by addFetch()
    const begun = await this.#begin(run, spec);
    const writer = new ImportWriter(this.#parts, begun, termsOf(spec));
    let sha256: string | null = null;
    const onDigest = (found: string) => {
      sha256 = found;
    };
    try {
      const file = spec.url === "" ? await this.#shipped(begun) : this.#fetched(begun, spec.url);
      await writer.read(plainBytes(checkedBytes(this.#touched(begun, file), { expected: spec.sha256, onDigest })));
    } catch (error) {
      const fault = asFault(error);
      // What only this process suffers from is tried again.
      if (fault instanceof Fault && reasonRule(fault.reason).httpStatus < 500) await writer.fail(failureOf(fault));
      throw fault;
    }
    return async (tx) => {
      const row = await writer.finish(tx, "system");
      const author = serviceCaller(run.orgId, { action: "dataset.import_complete", requestId: run.id, address: "" });
      const after: JsonObject = { ...auditView(row), sha256 };
      await writeAuditEntry(tx, author, { resource: `dataset/${spec.dataset_id}`, before: null, after });
      return { cursor: "end", done: row.lines, total: row.lines, report: after, isLast: true };
    };
  }

  /** Ends imports that nobody works on any more: their connection or their process is gone. Returns how many. */
  async sweep(now: Date): Promise<number> {
    const { database } = this.#parts;
    const stale = await lookUpStaleImports(database, new Date(now.getTime() - forgottenMs), sweptImports);
    const error = { code: "canceled", message: "nobody worked on the import any more: its process was ended" };
    for (const { org_id: orgId, import_id: id } of stale) {
      await abandonImport(database, { orgId, id }, { state: "failed", error });
    }
    return stale.length;
  }

  #begin({ orgId, id }: RunAtWork, { dataset_id: datasetId }: FetchSpec): Promise<BegunImport> {
    return this.#parts.database.systemTransaction(orgId, async (tx) => {
      const dataset = await lockDataset(tx, datasetId);
      const row = dataset === null ? null : await lockImport(tx, id);
      if (dataset === null || row === null || row.finishedAt != null)
        throw new Fault(Reason.CONFLICT, "the dataset of the import is gone, or the import has ended");
      await discardVersion(tx, datasetId, dataset.version + 1);
      Object.assign(row, { state: "running", attempt: row.attempt + 1, touchedAt: tx.now });
      return { orgId, id, datasetId, attempt: row.attempt };
    });
  }

  /** The file of the entry of the catalog that the dataset was installed from. */
  async #shipped({ orgId, datasetId }: BegunImport): Promise<AsyncIterable<Uint8Array>> {
    const dataset = await this.#parts.database.read(orgId, (tx) => findDataset(tx, datasetId));
    const entry = catalogEntry(dataset?.catalogId ?? "");
    if (entry === undefined) throw new Fault(Reason.NOT_FOUND, "the catalog has this dataset no more");
    return shippedFile(entry);
  }

  async *#fetched({ id }: BegunImport, url: string): AsyncGenerator<Uint8Array, void> {
    const signal = AbortSignal.timeout(totalMs);
    const file = await this.#open(id, url, signal);
    let size = 0;
    for await (const piece of file) {
      size += piece.byteLength;
      if (size > maxFetchedBytes) throw unreadable("the file has more than 1 GiB");
      yield piece;
    }
  }

  /** The same bytes. While they come, the run says that it goes on. */
  async *#touched({ orgId, id }: BegunImport, file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    let touchedAt = performance.now();
    for await (const piece of file) {
      yield piece;
      if (performance.now() - touchedAt < touchMs) continue;
      touchedAt = performance.now();
      await this.#parts.database.systemTransaction(orgId, (tx) => touchRun(tx, id));
    }
  }

  async #open(owner: string, first: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    let url = first;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const { statusCode, location, body } = await this.#outbound.open({ owner, url, signal, headers: {}, idleMs });
      if (statusCode === 200) return body;
      await body.cancel();
      if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined)
        throw unreadable(`the address answered with status ${statusCode}`);
      const next = URL.parse(location, url);
      if (next === null) throw unreadable("the address redirects to what is no address");
      if (next.protocol !== "https:" && new URL(url).protocol === "https:")
        throw new Fault(Reason.ADDRESS_REFUSED, "the address redirects to one without TLS");
      url = next.href;
    }
    throw unreadable(`the address redirects more than ${maxRedirects} times`);
  }
}

function asFault(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error;
  if (error.failure === "address_refused" || error.failure === "invalid_url")
    return new Fault(Reason.ADDRESS_REFUSED, error.message, { cause: error });
  return unreadable(`the file could not be fetched: ${error.message}`, error);
}
