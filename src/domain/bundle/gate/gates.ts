// Reads and sets the gates that environments define for themselves.

import { isDeepStrictEqual } from "node:util";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, validationFailed } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import { newestVersion } from "../../../store/bundle/bundle.ts";
import { GateSetRow } from "../../../store/bundle/gate.ts";
import type { Database } from "../../../store/connection/database.ts";
import { requireEnvironment, requireLockedEnvironment, requireProject } from "../../lookup.ts";
import { auditView, type GateSet, gateSetOf, type NewGate, problemsOf, stored, withRevision } from "./definition.ts";
import type { GateKeeper } from "./gate.ts";

/** The environment that a call is about. */
interface EnvironmentPath {
  readonly projectId: string;
  readonly environment: string;
}

/** Reads and sets the gates of environments. */
export class Gates {
  readonly #database: Database;
  readonly #keeper: GateKeeper;

  constructor(database: Database, keeper: GateKeeper) {
    this.#database = database;
    this.#keeper = keeper;
  }

  /** The environment's gates. */
  get(caller: Caller, path: EnvironmentPath): Promise<GateSet> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, path.projectId);
      const environment = await requireEnvironment(tx, path.projectId, path.environment);
      return gateSetOf(tx, environment.id);
    });
  }

  /** Replaces all gates of the environment. */
  set(
    caller: Caller,
    path: EnvironmentPath,
    { gates, expectedVersion }: { readonly gates: readonly NewGate[]; readonly expectedVersion: number | undefined },
  ): Promise<GateSet> {
    const problems = problemsOf(gates);
    if (problems.length > 0) throw validationFailed(problems);
    return this.#database.transaction(caller, async (tx) => {
      // A check of gates holds the same lock, so that no call passes by gates that are being replaced.
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      const before = await gateSetOf(tx, environment.id);
      if (expectedVersion !== undefined && expectedVersion !== before.version) throw changedMeanwhile(before.version);
      const unfit = await this.#keeper.problemsOf(tx, environment, gates);
      if (unfit.length > 0) throw validationFailed(unfit);
      const former = new Map(before.gates.map((gate) => [gate.id, gate]));
      const version = before.version + 1;
      const after = gates.map((gate) => withRevision(gate, former.get(gate.id), version));
      const resource = `environment/${environment.id}`;
      if (before.version > 0 && isDeepStrictEqual(after, before.gates)) {
        tx.changed({ resource, before: auditView(after), after: auditView(after) });
        return before;
      }
      await tx.em.upsert(GateSetRow, {
        ...{ orgId: tx.orgId, environmentId: environment.id, version },
        gates: after.map(stored),
        ...{ updatedAt: tx.now, updatedBy: caller.credential.label },
      });
      tx.changed({ resource, before: auditView(before.gates), after: auditView(after) });
      const newest = await newestVersion(tx, environment.id);
      await this.#keeper.prepareLater(tx, environment, { gates: after, version: newest });
      return { version, gates: after, updatedAt: tx.now, updatedBy: caller.credential.label };
    });
  }
}

function changedMeanwhile(version: number): Fault {
  return new Fault(
    Reason.VERSION_CONFLICT,
    `the gates have version ${version} by now; look at them and set them again`,
    {
      extra: { current_version: version },
    },
  );
}
