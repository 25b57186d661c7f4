import type { TraceRetention } from "../domain/trace-retention.ts";
import type { Logger } from "../kit/log.ts";

/** Removes traces that are no longer kept. Once a day, in the quiet hours. */
export async function purgeTraces(services: {
  readonly retention: TraceRetention;
  readonly log: Logger;
}): Promise<void> {
  const purged = await services.retention.purge();
  if (purged.traces + purged.keys + purged.partitions.length > 0) services.log.info(purged, "purged traces");
}
