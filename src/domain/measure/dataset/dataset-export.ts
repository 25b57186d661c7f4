// Exports of datasets: the samples of a version, however many there are.

import type { Caller } from "../../../kit/rpc/context.ts";
import type { Database } from "../../../store/connection/database.ts";
import { readSamples } from "../../../store/measure/dataset/dataset-sample.ts";
import type { TextSeals } from "../../sealed-text.ts";
import { requireDataset, versionDigest } from "./dataset.ts";
import { type Sample, shownSample, versionOf } from "./dataset-sample.ts";

/** Samples that one transaction reads. Each has 256 KiB at most, and few have much. */
const samplesAtOnce = 200;

/** What to export, and how. */
export interface DatasetExport {
  readonly version: number | undefined;
  readonly format: "jsonl" | "csv";
  /** The last sample that the caller has already. */
  readonly after: string | undefined;
}

/** A version on its way out. */
export interface OpenedExport {
  readonly name: string;
  readonly version: number;
  readonly digest: Buffer;
  readonly pages: AsyncGenerator<readonly Sample[], void>;
}

/** Reads whole versions of datasets. */
export class DatasetExports {
  readonly #database: Database;
  readonly #seals: TextSeals;

  constructor({ database, seals }: { readonly database: Database; readonly seals: TextSeals }) {
    this.#database = database;
    this.#seals = seals;
  }

  /**
   * Begins an export, which the log of evidence says. Each page is a short transaction of its own, so that a slow
   * reader holds neither a connection nor a snapshot; a version stays as it is meanwhile, erasures aside.
   */
  async open(
    caller: Caller,
    datasetId: string,
    { version: wanted, format, after: since }: DatasetExport,
  ): Promise<OpenedExport> {
    const { name, version, digest } = await this.#database.transaction(caller, async (tx) => {
      const dataset = await requireDataset(tx, caller, datasetId);
      const found = versionOf(dataset, wanted);
      const made = await versionDigest(tx, datasetId, found);
      const said = { version: found, format, digest: made.toString("hex"), after_sample: since ?? null };
      tx.changed({ resource: `dataset/${dataset.id}`, before: null, after: said });
      return { name: dataset.name, version: found, digest: made };
    });
    return { name, version, digest, pages: this.#pages(caller, datasetId, { version, since }) };
  }

  async *#pages(
    caller: Caller,
    datasetId: string,
    { version, since }: { readonly version: number; readonly since: string | undefined },
  ): AsyncGenerator<readonly Sample[], void> {
    let after = since;
    for (;;) {
      const page = await this.#database.read(caller.orgId, async (tx) => {
        await requireDataset(tx, caller, datasetId);
        const seal = await this.#seals.forReading(tx);
        const rows = await readSamples(tx, datasetId, { version }, { limit: samplesAtOnce, after });
        return rows.map((row) => shownSample(row, seal, caller));
      });
      if (page.length > 0) yield page;
      if (page.length < samplesAtOnce) return;
      after = page.at(-1)?.row.sampleId;
    }
  }
}
