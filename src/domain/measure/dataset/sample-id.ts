// Ids of samples: UUIDs version 4 whose first 48 bits count the samples of the dataset, so that they sort in the order
// in which samples were added, and new rows come to stand side by side. The other 74 free bits are random.

import { newId } from "../../../kit/process/id.ts";

/** The id of the sample before which so many were added. */
export function newSampleId(before: number): string {
  const count = before.toString(16).padStart(12, "0");
  return `${count.slice(0, 8)}-${count.slice(8)}${newId().slice(13)}`;
}
