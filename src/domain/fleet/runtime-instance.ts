// The list of runtimes for people: which ones there are, and whether they enforce the environment's active bundle.
// Connected runtimes report that themselves every few seconds.

import { notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { instanceName, lostEvaluations, lostInScope } from "../../store/fleet/reporting-gap.ts";
import {
  forgetInstance,
  type InstanceCounts,
  type InstanceFilter,
  type InstanceKey,
  type InstanceScope,
  type ListedInstance,
  listInstances,
} from "../../store/fleet/runtime-instance.ts";
import { requireEnvironment, requireLockedEnvironment, requireProject } from "../lookup.ts";

/** A runtime that has reported within this time counts as connected. */
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
  /** Number of runtimes on all pages. */
  readonly total: number;
  /** Evaluations that the whole scope lost, whatever the filter, including those of forgotten runtimes. */
  readonly lostEvaluations: number;
  /** All that match, whatever is asked of their state and of being connected. */
  readonly counts: InstanceCounts;
}

/** Lists and forgets runtimes. */
export class RuntimeInstances {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of the environment's runtimes, the one that reported last first. */
  list(caller: Caller, path: Omit<InstanceKey, "instanceId">, page: Page & InstanceFilter): Promise<RuntimePage> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, path.projectId);
      await requireEnvironment(tx, path.projectId, path.environment);
      return pageOfRuntimes(tx, path, page);
    });
  }

  /** A page of the project's runtimes, of all environments or of one; none of one that does not exist. */
  listOfProject(caller: Caller, scope: InstanceScope, page: Page & InstanceFilter): Promise<RuntimePage> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, scope.projectId);
      return pageOfRuntimes(tx, scope, page);
    });
  }

  /** Removes a runtime from the list. One that still runs comes back with its next report. */
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

async function pageOfRuntimes(
  tx: Transaction,
  scope: InstanceScope,
  page: Page & InstanceFilter,
): Promise<RuntimePage> {
  const since = new Date(tx.now.getTime() - connectedMs);
  const { instances, total, counts } = await listInstances(tx, scope, { ...page, since });
  const lost = await lostEvaluations(tx, scope.projectId, instances);
  const views = instances.map((instance) => ({
    instance,
    lostEvaluations: lost.get(instanceName(instance)) ?? 0,
    isConnected: instance.lastSeenAt > since,
  }));
  return { views, total, counts, lostEvaluations: await lostInScope(tx, scope) };
}
