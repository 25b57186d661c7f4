// Environments: the stages of a project's life, each with an active bundle of its own.

import { isDeepStrictEqual } from "node:util";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, planRequired, validationFailed } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import { countOverrides } from "../../store/bundle/override.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  deleteEnvironment,
  EnvironmentRow,
  listEnvironments,
  lockEnvironments,
} from "../../store/project/environment.ts";
import { readQuotaTerms } from "../../store/tenancy/organization.ts";
import { monthlyLimit, plans } from "../billing/plan.ts";
import { refreshActiveBundle } from "../bundle/activation.ts";
import { activeBundle } from "../bundle/fault.ts";
import { allowsOverride } from "../bundle/gate/gate.ts";
import type { SigningKeys } from "../bundle/signing-keys.ts";
import { bundlesChannel, tokensChannel } from "../channel.ts";
import { requireLockedEnvironment, requireProject } from "../lookup.ts";

/** How much of the text runtimes of an environment may report. */
export type Capture = "none" | "redacted" | "full";

/** Of which evaluations runtimes send a trace, in percent. */
export interface TraceSampling {
  readonly allowPercent?: number;
  readonly otherPercent?: number;
}

/** Environments of one project. */
const environmentLimit = 50;

/** Creates, lists, orders, changes and deletes environments. */
export class Environments {
  readonly #database: Database;
  readonly #keys: SigningKeys;

  constructor(database: Database, keys: SigningKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** Creates an environment at the end of the order. */
  create(
    caller: Caller,
    projectId: string,
    input: {
      readonly name: string;
      readonly isProtected?: boolean;
      readonly capture?: Capture;
      readonly replayFacts?: boolean;
      readonly traceSampling?: TraceSampling;
    },
  ): Promise<EnvironmentRow> {
    return this.#database.transaction(caller, async (tx) => {
      await requireProject(tx, projectId);
      await requireSampling(tx, input.traceSampling);
      const existing = await lockEnvironments(tx, projectId);
      if (existing.some((environment) => environment.name === input.name)) {
        throw new Fault(Reason.ALREADY_EXISTS, "an environment with this name exists in the project");
      }
      if (existing.length >= environmentLimit) {
        throw new Fault(Reason.LIMIT_REACHED, `a project has at most ${environmentLimit} environments`, {
          extra: { limit: environmentLimit },
        });
      }
      const position = Math.max(-1, ...existing.map((environment) => environment.position)) + 1;
      const environment = addEnvironment(tx, { ...input, projectId, position });
      tx.changed({ resource: resourceOf(environment), before: null, after: auditView(environment) });
      return environment;
    });
  }

  /** A page of the project's environments in the order of promotion. */
  list(caller: Caller, projectId: string, page: Page): Promise<[EnvironmentRow[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, projectId);
      return listEnvironments(tx, projectId, page);
    });
  }

  /** How many overrides are in force in these environments, by the environment's id. */
  overrideCounts(caller: Caller, rows: readonly EnvironmentRow[]): Promise<ReadonlyMap<string, number>> {
    const ids = rows.map(({ id }) => id);
    return this.#database.read(caller.orgId, (tx) => countOverrides(tx, ids));
  }

  /** Changes what is given. */
  update(
    caller: Caller,
    projectId: string,
    name: string,
    change: {
      readonly isProtected?: boolean;
      readonly isFrozen?: boolean;
      readonly capture?: Capture;
      readonly replayFacts?: boolean;
      readonly requiredApprovals?: number;
      readonly allowGateOverride?: boolean;
      readonly traceSampling?: TraceSampling;
    },
  ): Promise<EnvironmentRow> {
    return this.#database.transaction(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, projectId, name);
      await requireSampling(tx, change.traceSampling);
      const before = auditView(environment);
      if (change.isProtected !== undefined) environment.isProtected = change.isProtected;
      if (change.isFrozen !== undefined) environment.isFrozen = change.isFrozen;
      if (change.requiredApprovals !== undefined) environment.requiredApprovals = change.requiredApprovals;
      if (change.allowGateOverride !== undefined) environment.allowGateOverride = change.allowGateOverride;
      const reported = { ...reportedOf(environment), ...reportedChange(change) };
      if (!isDeepStrictEqual(reported, reportedOf(environment))) {
        Object.assign(environment, reported);
        // The signed activation tells runtimes how much they may report.
        await refreshActiveBundle(tx, this.#keys, environment);
      }
      tx.changed({ resource: resourceOf(environment), before, after: auditView(environment) });
      return environment;
    });
  }

  /** Sets the order; `names` has to name every environment once. */
  reorder(caller: Caller, projectId: string, names: readonly string[]): Promise<EnvironmentRow[]> {
    return this.#database.transaction(caller, async (tx) => {
      await requireProject(tx, projectId);
      const environments = await lockEnvironments(tx, projectId);
      const byName = new Map(environments.map((environment) => [environment.name, environment]));
      const ordered = names.flatMap((name) => byName.get(name) ?? []);
      if (ordered.length !== names.length || ordered.length !== environments.length) {
        const message = `expected each of ${environments.map(({ name }) => name).join(", ")} exactly once`;
        throw validationFailed([{ field: "names", message }]);
      }
      const before = { names: environments.map(({ name }) => name) };
      ordered.forEach((environment, position) => {
        environment.position = position;
      });
      tx.changed({ resource: `project/${projectId}/environments`, before, after: { names: [...names] } });
      return ordered;
    });
  }

  /** Deletes the environment; one with an active bundle only by force. */
  delete(caller: Caller, projectId: string, name: string, { force }: { readonly force: boolean }): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, projectId, name);
      if (!force && environment.activeVersion !== null) throw activeBundle("environment");
      await deleteEnvironment(tx, environment.id);
      await tx.notify(tokensChannel, {});
      await tx.notify(bundlesChannel, { project_id: projectId, environment: name });
      tx.changed({ resource: resourceOf(environment), before: auditView(environment), after: null });
    });
  }
}

/** Adds an environment to the transaction. `prod` is protected unless the input says otherwise. */
export function addEnvironment(
  tx: Transaction,
  input: {
    readonly projectId: string;
    readonly name: string;
    readonly position: number;
    readonly isProtected?: boolean;
    readonly capture?: Capture;
    readonly replayFacts?: boolean;
    readonly traceSampling?: TraceSampling;
  },
): EnvironmentRow {
  return tx.em.create(EnvironmentRow, {
    orgId: tx.orgId,
    id: newId(),
    projectId: input.projectId,
    name: input.name,
    position: input.position,
    isProtected: input.isProtected ?? input.name === "prod",
    isFrozen: false,
    requiredApprovals: 0,
    allowGateOverride: null,
    capture: input.capture ?? "redacted",
    replayFacts: input.replayFacts ?? true,
    sampledAllowPercent: input.traceSampling?.allowPercent ?? 100,
    sampledOtherPercent: input.traceSampling?.otherPercent ?? 100,
    latestVersion: 0,
    activationSeq: 0,
    activeVersion: null,
    createdAt: tx.now,
  });
}

/** What the signed activation tells runtimes about reports. */
type Reported = Pick<EnvironmentRow, "capture" | "replayFacts" | "sampledAllowPercent" | "sampledOtherPercent">;

function reportedOf({ capture, replayFacts, sampledAllowPercent, sampledOtherPercent }: EnvironmentRow): Reported {
  return { capture, replayFacts, sampledAllowPercent, sampledOtherPercent };
}

function reportedChange({
  capture,
  replayFacts,
  traceSampling: { allowPercent, otherPercent } = {},
}: {
  readonly capture?: Capture;
  readonly replayFacts?: boolean;
  readonly traceSampling?: TraceSampling;
}): Partial<Reported> {
  return {
    ...(capture !== undefined && { capture }),
    ...(replayFacts !== undefined && { replayFacts }),
    ...(allowPercent !== undefined && { sampledAllowPercent: allowPercent }),
    ...(otherPercent !== undefined && { sampledOtherPercent: otherPercent }),
  };
}

// Counts of a runtime name no leases, so a plan with a limit could not be held by them.
async function requireSampling(tx: Transaction, { allowPercent = 100, otherPercent = 100 }: TraceSampling = {}) {
  if (allowPercent === 100 && otherPercent === 100) return;
  const terms = await readQuotaTerms(tx);
  if (monthlyLimit(terms) === null) return;
  const sampling = plans.filter((plan) => monthlyLimit({ plan }) === null);
  throw planRequired(terms.plan, sampling);
}

function resourceOf(environment: EnvironmentRow): string {
  return `environment/${environment.id}`;
}

function auditView(row: EnvironmentRow) {
  return {
    project_id: row.projectId,
    name: row.name,
    is_protected: row.isProtected,
    is_frozen: row.isFrozen,
    required_approvals: row.requiredApprovals,
    allow_gate_override: allowsOverride(row),
    capture: row.capture,
    replay_facts: row.replayFacts,
    trace_sampling: { allow_percent: row.sampledAllowPercent, other_percent: row.sampledOtherPercent },
  };
}
