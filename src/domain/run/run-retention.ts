// How long runs are remembered.

import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import { deleteBenchmarkResultsBefore } from "../../store/measure/benchmark/benchmark-result.ts";
import { forgetImports } from "../../store/measure/dataset/dataset-import.ts";
import { deleteReplayResultsBefore } from "../../store/replay/replay-result.ts";
import { cancelHeldRuns, deleteRunsBefore } from "../../store/run/run.ts";
import { lookUpOrganizations } from "../../store/tenancy/organization.ts";
import { noteRemoval } from "../removal.ts";

const dayMs = 86_400_000;

/** Days that the row of a run is kept: its state and its report. */
export const summaryDays = 400;
/** Days that its details are kept: what it has found one by one. */
export const detailDays = 90;

/** Days that a run waits for its upload before it is canceled. */
const heldDays = 1;

/** Removes old runs, and what imports say of themselves. */
export class RunRetention {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Removes, in every organization, details and finished runs that are too old. Returns how many runs. */
  async purge(): Promise<number> {
    const before = (days: number) => new Date(this.#clock.now().getTime() - days * dayMs);
    const bounds = { detailsBefore: before(detailDays), before: before(summaryDays) };
    let purged = 0;
    for (const { id } of await lookUpOrganizations(this.#database)) {
      await this.#database.systemTransaction(id, (tx) => cancelHeldRuns(tx, before(heldDays)));
      // One entry tells it all.
      purged += await this.#database.systemTransaction(id, async (tx) => {
        const imports = await forgetImports(tx, bounds);
        const replayed = await deleteReplayResultsBefore(tx, bounds.detailsBefore);
        const measured = await deleteBenchmarkResultsBefore(tx, bounds.detailsBefore);
        const runs = await deleteRunsBefore(tx, bounds.before);
        const removed = { runs, imports, replay_results: replayed, benchmark_results: measured };
        if (Object.values(removed).some((rows) => rows > 0)) await noteRemoval(tx, "runs", removed);
        return runs;
      });
    }
    return purged;
  }
}
