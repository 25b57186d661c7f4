// What is left of deleted datasets.

import type { Database } from "../../../store/connection/database.ts";
import { deleteSamples } from "../../../store/measure/dataset/dataset-sample.ts";
import { forgetSubjects } from "../../../store/measure/dataset/dataset-subject.ts";

/** Samples that one transaction removes. */
const samplesAtOnce = 5_000;

/** Removes the samples of deleted datasets. */
export class DatasetRetention {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Removes all samples of a dataset. Returns how many. */
  async purge(orgId: string, datasetId: string): Promise<number> {
    await this.#database.systemTransaction(orgId, (tx) => forgetSubjects(tx, datasetId));
    let purged = 0;
    for (;;) {
      const gone = await this.#database.systemTransaction(orgId, (tx) => deleteSamples(tx, datasetId, samplesAtOnce));
      purged += gone;
      if (gone < samplesAtOnce) break;
    }
    return purged;
  }
}
