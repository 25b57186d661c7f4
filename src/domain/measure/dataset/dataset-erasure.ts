// Erases samples about somebody from every version of their datasets. A version then says how many it lost, and has
// another digest from then on.

import type { Transaction } from "../../../store/core/transaction.ts";
import { eraseBenchmarkResults } from "../../../store/measure/benchmark/benchmark-result.ts";
import { lockDataset } from "../../../store/measure/dataset/dataset.ts";
import { eraseSamples, findSamplesAbout, noteErased } from "../../../store/measure/dataset/dataset-subject.ts";
import { VersionNumbers } from "./dataset-change.ts";

/** Erases at most `limit` samples about these subjects. Returns how many. */
export async function eraseSamplesAbout(
  tx: Transaction,
  digests: readonly Uint8Array[],
  limit: number,
): Promise<number> {
  const found = await findSamplesAbout(tx, digests, limit);
  const byDataset = Map.groupBy(found, ({ datasetId }) => datasetId);
  for (const [datasetId, samples] of byDataset) {
    const ids = samples.map(({ sampleId }) => sampleId);
    await eraseFrom(tx, datasetId, ids);
  }
  return found.length;
}

async function eraseFrom(tx: Transaction, datasetId: string, sampleIds: readonly string[]): Promise<void> {
  const dataset = await lockDataset(tx, datasetId);
  await eraseBenchmarkResults(tx, sampleIds);
  const rows = await eraseSamples(tx, datasetId, sampleIds);
  // Of a deleted dataset there are only rows.
  if (dataset === null) return;
  const numbers = new VersionNumbers(dataset);
  for (const row of rows) {
    const { sinceVersion, untilVersion, sizeBytes } = row;
    const isCurrent = sinceVersion <= dataset.version && (untilVersion === null || untilVersion > dataset.version);
    if (isCurrent) numbers.count(row, -1);
    numbers.sizeBytes -= sizeBytes;
  }
  numbers.store(dataset);
  dataset.updatedAt = tx.now;
  await noteErased(tx, datasetId, rows);
}
