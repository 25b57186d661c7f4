// Overrides: a rule that does harm is kept in shadow for a while, without a new version. The signed activation names
// it; runtimes honour it until its end, by their own clocks.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { maxOverrides } from "../../kit/bundle/statement-payload.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { findBundle } from "../../store/bundle/bundle.ts";
import { deleteEndedOverrides, deleteOverride, listOverrides, RuleOverrideRow } from "../../store/bundle/override.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../store/project/environment.ts";
import { findRun } from "../../store/run/run.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { RuleInForce } from "../analysis/rules-in-force.ts";
import { requireEnvironment, requireLockedEnvironment, requireProject } from "../lookup.ts";
import { activateAnew } from "./activation.ts";
import { storedPolicyParts } from "./content.ts";
import type { EnvironmentPath } from "./lookup.ts";
import { requireActivatable } from "./rule.ts";
import type { SigningKeys } from "./signing-keys.ts";

const hourMs = 3_600_000;

/** What to keep in shadow, and how long. */
export interface NewOverride {
  readonly policyId: string;
  readonly ruleId: string;
  readonly reason: string;
  readonly hours: number;
  readonly calibrationId: string | undefined;
}

/** The rules of the version that was active when they were looked up. */
interface RulesOfVersion {
  readonly version: number;
  readonly rules: readonly RuleInForce[];
}

/** How often a rule is looked up again because another version was activated meanwhile. */
const maxAttempts = 5;

/** Sets, shows and ends overrides. */
export class Overrides {
  readonly #database: Database;
  readonly #keys: SigningKeys;
  readonly #analysis: Analysis;

  constructor(database: Database, keys: SigningKeys, analysis: Analysis) {
    this.#database = database;
    this.#keys = keys;
    this.#analysis = analysis;
  }

  /** The overrides of an environment that are in force. */
  list(caller: Caller, path: EnvironmentPath): Promise<RuleOverrideRow[]> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, path.projectId);
      return listOverrides(tx, (await requireEnvironment(tx, path.projectId, path.environment)).id);
    });
  }

  /** Keeps a rule in shadow. */
  async create(
    caller: Caller,
    path: EnvironmentPath,
    { policyId, ...rest }: NewOverride,
    signal?: AbortSignal,
  ): Promise<RuleOverrideRow> {
    // Ids are compared as texts, in the spelling that they are made in.
    const input = { ...rest, policyId: policyId.toLowerCase() };
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const found = await this.#rules(caller, path, signal);
      const override = await this.#database.transaction(caller, async (tx) => {
        const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
        if (environment.activeVersion !== found.version) return undefined;
        requireActivatable(caller, environment);
        const policy = requireOverridable(found.rules, input);
        await requireCalibration(tx, environment, input);
        return this.#set(tx, caller, environment, { ...input, policy });
      });
      if (override !== undefined) return override;
    }
    throw new Fault(Reason.CONFLICT, "other versions were activated again and again meanwhile; try once more");
  }

  /** Ends an override. Whoever may set one may end it, also where nothing else may be activated. */
  delete(caller: Caller, path: EnvironmentPath, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      const override = (await listOverrides(tx, environment.id)).find((each) => each.id === id);
      if (override === undefined) throw notFound("override");
      const before = auditView(override);
      await deleteOverride(tx, override);
      const facts = { author: caller.credential.label, cause: "override_ended" } as const;
      const statement = await activateAnew(tx, this.#keys, environment, facts);
      const after = { activation_seq: environment.activationSeq, statement };
      tx.changed({ resource: `environment/${environment.id}`, before, after });
    });
  }

  async #rules(caller: Caller, { projectId, environment: name }: EnvironmentPath, signal?: AbortSignal) {
    const ground = await this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, projectId);
      const environment = await requireEnvironment(tx, projectId, name);
      const { activeVersion: version } = environment;
      const bundle = version == null ? null : await findBundle(tx, environment.id, version);
      if (bundle === null) throw new Fault(Reason.CONFLICT, `${name} has no active bundle; activate one first`);
      return { version: bundle.version, parts: await storedPolicyParts(tx, bundle.parts) };
    });
    const question = { parts: ground.parts, environment: name, projectId };
    const rules = await this.#analysis.run("rulesInForce", question, { orgId: caller.orgId, signal });
    return { version: ground.version, rules } satisfies RulesOfVersion;
  }

  async #set(
    tx: Transaction,
    caller: Caller,
    environment: EnvironmentRow,
    { policyId, ruleId, policy, reason, hours, calibrationId }: NewOverride & { readonly policy: string },
  ): Promise<RuleOverrideRow> {
    await deleteEndedOverrides(tx, environment.id);
    const present = await listOverrides(tx, environment.id);
    const former = present.find((each) => each.policyId === policyId && each.ruleId === ruleId);
    if (former === undefined && present.length >= maxOverrides) {
      const message = `${environment.name} has ${maxOverrides} overrides already; end one first`;
      throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit: maxOverrides } });
    }
    const before = former === undefined ? null : auditView(former);
    const facts = {
      ...{ id: newId(), policy, reason, calibrationId: calibrationId ?? null, createdBy: caller.credential.label },
      ...{ createdAt: tx.now, until: new Date(tx.now.getTime() + hours * hourMs) },
      activationSeq: environment.activationSeq + 1,
    };
    const key = { orgId: tx.orgId, environmentId: environment.id, policyId, ruleId };
    const place = { projectId: environment.projectId, environment: environment.name };
    const override =
      former === undefined
        ? tx.em.create(RuleOverrideRow, { ...key, ...place, ...facts })
        : Object.assign(former, facts);
    await tx.em.flush();
    const statement = await activateAnew(tx, this.#keys, environment, {
      ...{ author: caller.credential.label, cause: "override_set", message: reason },
    });
    const after = { ...auditView(override), activation_seq: override.activationSeq, statement };
    tx.changed({ resource: `environment/${environment.id}`, before, after });
    return override;
  }
}

/** Throws unless the rule can be kept in shadow. Returns the name of its policy. */
function requireOverridable(
  rules: readonly RuleInForce[],
  { policyId, ruleId }: Pick<NewOverride, "policyId" | "ruleId">,
): string {
  const own = rules.filter((rule) => rule.policyId === policyId);
  const rule = own.find((each) => each.ruleId === ruleId);
  if (rule === undefined) {
    const field = own.length === 0 ? "policy_id" : "rule_id";
    const message = own.length === 0 ? "no policy of the active bundle" : `no rule of this policy in the active bundle`;
    throw validationFailed([{ field, message: `names ${message}` }]);
  }
  if (rule.isLocked)
    throw new Fault(Reason.CONFLICT, `its pack locks the rule "${ruleId}": nobody weakens it, and no override does`);
  if (rule.isOff)
    throw new Fault(Reason.CONFLICT, `the rule "${ruleId}" enforces nothing; there is nothing to keep in shadow`);
  return rule.policy;
}

async function requireCalibration(
  tx: Transaction,
  { projectId, name }: EnvironmentRow,
  { calibrationId, policyId, ruleId }: NewOverride,
): Promise<void> {
  if (calibrationId === undefined) return;
  const run = await findRun(tx, "calibration", calibrationId);
  const about = run === null ? undefined : JSON.parse(run.spec);
  if (run === null || about?.policyId !== policyId || about?.ruleId !== ruleId)
    throw validationFailed([{ field: "calibration_id", message: "names no calibration of this rule" }]);
  if (run.state !== "succeeded") {
    const message = `names a calibration that says nothing: it is ${run.state}`;
    throw validationFailed([{ field: "calibration_id", message }]);
  }
  // One of a dataset is about no environment.
  const { annotations } = about.source;
  const isHere =
    annotations === undefined
      ? (run.projectId ?? projectId) === projectId
      : annotations.projectId === projectId && (annotations.environment ?? name) === name;
  if (isHere) return;
  const where = annotations?.environment === undefined ? "project" : "environment";
  throw validationFailed([{ field: "calibration_id", message: `names a calibration of another ${where}` }]);
}

function auditView({ id, policyId, ruleId, reason, calibrationId, createdAt, until }: RuleOverrideRow) {
  const hours = Math.round((until.getTime() - createdAt.getTime()) / hourMs);
  return {
    ...{ override: id, policy_id: policyId, rule_id: ruleId, mode: "shadow", reason, hours },
    ...{ calibration_id: calibrationId ?? null, until: until.toISOString() },
  };
}
