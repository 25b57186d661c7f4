// What finds out about gates in the rooms of benchmarks and replays, which know those of bundles.

import type { GateMeasures } from "./domain/bundle/gate/measure.ts";
import { BenchmarkGate } from "./domain/measure/benchmark/benchmark-gate.ts";
import { ReplayGate } from "./domain/replay/replay-gate.ts";
import type { Clock } from "./kit/process/clock.ts";
import type { Database } from "./store/connection/database.ts";

/** Builds it. */
export function gateMeasures(parts: {
  readonly database: Database;
  readonly clock: Clock;
}): Omit<GateMeasures, "languages"> {
  return { benchmark: new BenchmarkGate(parts), replay: new ReplayGate(parts) };
}
