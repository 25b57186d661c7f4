import type { TraceRetention } from "../domain/trace-retention.ts";
import type { Logger } from "../kit/log.ts";

/** Makes the partitions of the next months. Once a day is plenty: they are made three months ahead. */
export async function createPartitions(services: {
  readonly retention: TraceRetention;
  readonly log: Logger;
}): Promise<void> {
  const partitions = await services.retention.createPartitions();
  if (partitions.length > 0) services.log.info({ partitions }, "made partitions");
}
