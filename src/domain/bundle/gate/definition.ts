// The gates that an environment defines for itself.

import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, type FieldViolation, validationFailed } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import { findGateSet, GateSetRow, type StoredGate } from "../../../store/bundle/gate.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { requireEnvironment, requireLockedEnvironment, requireProject } from "../../lookup.ts";
import { standingGates } from "./standing.ts";

/** Calls that check gates. */
export type GateAction = "publish" | "promote" | "activate";

/** What a candidate's gate asks for. */
export interface CandidateRequirement {
  /** The share of newly blocked evaluations that has to be undercut. */
  readonly maxNewlyBlocked: number;
  readonly alpha: number;
  readonly minHours: number;
}

/** What a gate asks for, by its kind. */
export type GateRequirement = { readonly kind: "candidate"; readonly candidate: CandidateRequirement };

/** A gate as it is given. */
export type NewGate = GateRequirement & {
  readonly id: string;
  readonly on: readonly GateAction[];
  readonly enforcement: "block" | "warn";
};

/** A gate of an environment. */
export type GateDefinition = NewGate & {
  /** The version of the environment's gates in which it last changed. */
  readonly revision: number;
};

/** The gates of an environment. */
export interface GateSet {
  /** Grows by one with each change; 0 before the first. */
  readonly version: number;
  readonly gates: readonly GateDefinition[];
  readonly updatedAt: Date | undefined;
  readonly updatedBy: string | undefined;
}

/** The environment that a call is about. */
interface EnvironmentPath {
  readonly projectId: string;
  readonly environment: string;
}

/** Reads and sets the gates of environments. */
export class Gates {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
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
    assertSound(gates);
    return this.#database.transaction(caller, async (tx) => {
      // A check of gates holds the same lock, so that no call passes by gates that are being replaced.
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      const before = await gateSetOf(tx, environment.id);
      if (expectedVersion !== undefined && expectedVersion !== before.version) throw changedMeanwhile(before.version);
      const version = before.version + 1;
      const former = new Map(before.gates.map((gate) => [gate.id, gate]));
      const after = gates.map((gate) => withRevision(gate, former.get(gate.id), version));
      await tx.em.upsert(GateSetRow, {
        ...{ orgId: tx.orgId, environmentId: environment.id, version },
        gates: after.map(stored),
        ...{ updatedAt: tx.now, updatedBy: caller.credential.label },
      });
      const resource = `environment/${environment.id}`;
      tx.changed({ resource, before: auditView(before.gates), after: auditView(after) });
      return { version, gates: after, updatedAt: tx.now, updatedBy: caller.credential.label };
    });
  }
}

/** The gates of an environment. */
export async function gateSetOf(tx: Transaction, environmentId: string): Promise<GateSet> {
  const row = await findGateSet(tx, environmentId);
  if (row === null) return { version: 0, gates: [], updatedAt: undefined, updatedBy: undefined };
  const gates = row.gates as unknown as readonly GateDefinition[]; // written by Gates.set()
  return { version: row.version, gates, updatedAt: row.updatedAt, updatedBy: row.updatedBy };
}

function assertSound(gates: readonly NewGate[]): void {
  const violations: FieldViolation[] = [];
  const seen = new Set<string>(standingGates);
  for (const [index, { id, kind, on }] of gates.entries()) {
    if (seen.has(id)) {
      const message = `"${id}" ${standingGates.some((name) => name === id) ? "is a gate of every environment" : "is given twice"}`;
      violations.push({ field: `gates[${index}].id`, message });
    }
    seen.add(id);
    if (kind === "candidate" && on.some((action) => action !== "activate")) {
      const message = "a candidate is compared after it was published: only activate checks this gate";
      violations.push({ field: `gates[${index}].on`, message });
    }
  }
  if (violations.length > 0) throw validationFailed(violations);
}

function withRevision(gate: NewGate, former: GateDefinition | undefined, version: number): GateDefinition {
  if (former === undefined) return { ...gate, revision: version };
  const { revision, ...same } = former;
  // What is done about a gate that does not pass changes nothing about what it asks.
  const asked = ({ on: _, enforcement: __, ...question }: NewGate) => question;
  return { ...gate, revision: isDeepStrictEqual(asked(same), asked(gate)) ? revision : version };
}

function stored(gate: GateDefinition): StoredGate {
  return gate as unknown as StoredGate; // plain data
}

/** The gates as the log of evidence has them: in the spelling of the API. */
function auditView(gates: readonly GateDefinition[]): JsonObject {
  return {
    gates: gates.map(({ id, kind, on, enforcement, revision, candidate: { maxNewlyBlocked, alpha, minHours } }) => ({
      ...{ id, kind, on: [...on], enforcement, revision },
      candidate: { max_newly_blocked: maxNewlyBlocked, alpha, min_hours: minHours },
    })),
  };
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
