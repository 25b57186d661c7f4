// The fleet as people see it: which runtimes there are, and whether they enforce what the environment says. Runtimes report
// it themselves, every few seconds while they are connected.

import type { Caller } from "../kit/context.ts";
import { notFound } from "../kit/error.ts";
import type { Page } from "../kit/page.ts";
import type { Database } from "../store/database.ts";
import { lostEvaluations, lostInEnvironment } from "../store/reporting-gap.ts";
import {
  forgetInstance,
  type InstanceFilter,
  type InstanceKey,
  type ListedInstance,
  listInstances,
} from "../store/runtime-instance.ts";
import { requireEnvironment, requireLockedEnvironment, requireProject } from "./lookup.ts";

/** How recently a runtime has to have been heard of to count as connected. */
const connectedMs = 60_000;

/** A runtime, as it is listed. */
export interface RuntimeView {
  readonly instance: ListedInstance;
  readonly lostEvaluations: number;
  readonly isConnected: boolean;
}

/** A page of runtimes. */
export interface RuntimePage {
  readonly views: readonly RuntimeView[];
  /** How many there are on all pages. */
  readonly total: number;
  /** What the whole environment lost, whatever the filter; runtimes that were forgotten count as well. */
  readonly lostEvaluations: number;
}

/** Lists and forgets runtimes. */
export class RuntimeInstances {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of the environment's runtimes, those heard of last first. */
  list(caller: Caller, place: Omit<InstanceKey, "instanceId">, page: Page & InstanceFilter): Promise<RuntimePage> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, place.projectId);
      await requireEnvironment(tx, place.projectId, place.environment);
      const [instances, total] = await listInstances(tx, place, page);
      const ids = instances.map(({ id }) => id);
      const lost = await lostEvaluations(tx, place, ids);
      const since = tx.now.getTime() - connectedMs;
      const views = instances.map((instance) => ({
        instance,
        lostEvaluations: lost.get(instance.id) ?? 0,
        isConnected: instance.lastSeenAt.getTime() > since,
      }));
      return { views, total, lostEvaluations: await lostInEnvironment(tx, place) };
    });
  }

  /** Takes a runtime off the list. One that still runs comes back with its next word. */
  forget(caller: Caller, key: InstanceKey): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      await requireLockedEnvironment(tx, key.projectId, key.environment);
      const { projectId: project_id, environment } = key;
      const softwareVersion = await forgetInstance(tx, key);
      if (softwareVersion === undefined) throw notFound("runtime");
      const before = { project_id, environment, software_version: softwareVersion };
      tx.changed({ resource: `runtime/${key.instanceId}`, before, after: null });
    });
  }
}
