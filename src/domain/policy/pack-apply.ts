// Applies guard packs: a pack, values and a scope make a version of a policy. The pack's own document is kept beside
// the policy, so that a later application can distinguish changes by people from changes of the pack.

import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import type { PolicyDiff } from "../../../runtime/engine/authoring/diff.ts";
import { isSameJson } from "../../../runtime/engine/authoring/pack/digest.ts";
import type { PackLibrary } from "../../../runtime/engine/authoring/pack/library.ts";
import type { Pack, PackPolicy } from "../../../runtime/engine/authoring/pack/pack.ts";
import type { PolicyTestResult } from "../../../runtime/engine/authoring/test-runner.ts";
import type { ModeName } from "../../../runtime/engine/policy/document.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type CurrentPolicy, findPolicy, findPolicyByName, lockPolicy } from "../../store/policy/policy.ts";
import { findPolicyPack, lockPackScope, type PolicyPackRow, savePolicyPack } from "../../store/policy/policy-pack.ts";
import { protectionOf } from "../../store/project/environment.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { ConflictRule, PackPlan } from "../analysis/plan-pack.ts";
import { requireSound, type SoundDocument } from "../analysis/policy-document.ts";
import { packIdOf, requirePack } from "./pack.ts";
import { createIn, namesAreUnique, updateIn, type VersionNote } from "./policy.ts";
import { assertMayWrite, type PolicyScope, resolveScope, type ScopeInput, visibleApps } from "./scope.ts";

/** The input of an application. */
export interface PackApplication {
  readonly packId: string;
  readonly version?: string;
  readonly parameters?: JsonObject;
  readonly mode?: ModeName;
  readonly target: ScopeInput;
  readonly conflict: ConflictRule;
  readonly dryRun: boolean;
  readonly message?: string;
}

/** The result of an application. */
export interface AppliedPack {
  readonly packId: string;
  readonly scope: PolicyScope;
  readonly made: PackPolicy;
  readonly mode: ModeName;
  readonly change: "created" | "updated" | "unchanged";
  readonly policyId: string | undefined;
  readonly policyName: string;
  readonly policyVersion: number | undefined;
  readonly createdRules: readonly string[];
  readonly removedRules: readonly string[];
  readonly skipped: readonly string[];
  readonly diff: PolicyDiff;
  readonly tests: readonly PolicyTestResult[];
}

/** The present state that an application starts from. */
interface Ground {
  readonly pack: Pack;
  readonly scope: PolicyScope;
  readonly mode: ModeName;
  readonly parameters: JsonObject;
  readonly name: string;
  readonly kept: PolicyPackRow | null;
  readonly previous: CurrentPolicy | null;
}

/** How often an application begins again because the policy changed meanwhile. */
const maxAttempts = 5;

/** Applies packs. */
export class PackApplications {
  readonly #library: PackLibrary;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #analysis: Analysis;

  constructor(
    library: PackLibrary,
    { database, clock, analysis }: { readonly database: Database; readonly clock: Clock; readonly analysis: Analysis },
  ) {
    this.#library = library;
    this.#database = database;
    this.#clock = clock;
    this.#analysis = analysis;
  }

  /** Applies a pack, or only returns what would happen. */
  async apply(caller: Caller, input: PackApplication, signal?: AbortSignal): Promise<AppliedPack> {
    const pack = requirePack(this.#library, input.packId, input.version);
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      // The plan takes long and is made without a lock. If the policy has changed when the lock is held, it is made
      // again.
      const ground = await this.#database.read(caller.orgId, (tx) => groundOf(tx, caller, pack, input));
      const plan = await this.#plan(caller, ground, input.conflict, signal);
      if (input.dryRun) return answerOf(ground, plan);
      const applied = await namesAreUnique(
        this.#database.transaction(caller, async (tx) => {
          await lockPackScope(tx, pack.metadata.id, ground.scope);
          // Locked before anything is read, since entities that were read once are not read again in a transaction.
          if (ground.previous !== null) await lockPolicy(tx, ground.previous.policy.id);
          const held = await groundOf(tx, caller, pack, input);
          if (!isSameGround(ground, held)) return undefined;
          return answerOf(held, plan, await carryOut(tx, caller, { ground: held, plan, message: input.message }));
        }),
      );
      if (applied !== undefined) return applied;
    }
    throw new Fault(Reason.CONFLICT, "the policy kept changing while the pack was applied; apply it again");
  }

  #plan(
    { orgId }: Caller,
    { pack, parameters, mode, name, kept, previous }: Ground,
    conflict: ConflictRule,
    signal: AbortSignal | undefined,
  ): Promise<PackPlan> {
    const { id: packId, version } = pack.metadata;
    const use = {
      ...{ packId, version, parameters, mode, name: previous?.policy.name ?? name, conflict },
      ...{ base: kept?.document, current: previous?.current.document, now: this.#clock.now() },
    };
    return this.#analysis.run("planPack", use, { orgId, signal });
  }
}

/** The scope of the application, and the policy that exists there. */
async function groundOf(tx: Transaction, caller: Caller, pack: Pack, input: PackApplication): Promise<Ground> {
  const scope = await resolveScope(tx, input.target, { prefix: "target_" });
  assertMayWrite(caller, scope);
  const kept = await findPolicyPack(tx, pack.metadata.id, scope);
  const name = nameFor(pack, scope);
  const previous = kept === null ? await findPolicyByName(tx, name) : await findPolicy(tx, kept.policyId);
  if (previous !== null) assertReplaceable(caller, previous, scope);
  const mode = input.mode ?? kept?.mode ?? (await usualMode(tx, scope));
  return { pack, scope, kept, name, previous, mode, parameters: input.parameters ?? kept?.parameters ?? {} };
}

function isSameGround(planned: Ground, held: Ground): boolean {
  const facts = ({ scope, kept, name, previous, mode, parameters }: Ground) =>
    JSON.stringify([
      [scope.appId, scope.agentId, scope.env, name, mode, parameters],
      [previous?.policy.id, previous?.policy.name, previous?.policy.version],
      [kept?.policyId, kept?.packVersion, kept?.mode, kept?.parameters, kept?.document],
    ]);
  return facts(planned) === facts(held);
}

async function carryOut(
  tx: Transaction,
  caller: Caller,
  { ground, plan, message }: { readonly ground: Ground; readonly plan: PackPlan; readonly message: string | undefined },
): Promise<CurrentPolicy> {
  const { pack, scope, mode, kept, previous } = ground;
  const { made, checked } = plan;
  const { id, version } = pack.metadata;
  const sound = { ...requireSound(checked), source: null };
  const note = { scope, message: message ?? `applies pack ${id} ${version}` };
  const current = await written(tx, caller, previous, { sound, note, isChanged: plan.isChanged });
  const keeps =
    kept?.packVersion === version &&
    kept.mode === mode &&
    isSameJson(kept.parameters, made.parameters) &&
    plan.isMadeAnew;
  if (!keeps) {
    const { parameters, document } = made;
    await savePolicyPack(tx, {
      policyId: current.policy.id,
      packId: id,
      packVersion: version,
      parameters,
      mode,
      document,
    });
  }
  return current;
}

async function written(
  tx: Transaction,
  caller: Caller,
  previous: CurrentPolicy | null,
  {
    sound,
    note,
    isChanged,
  }: { readonly sound: SoundDocument; readonly note: VersionNote; readonly isChanged: boolean },
): Promise<CurrentPolicy> {
  if (previous === null) return createIn(tx, caller, sound, note);
  if (isChanged) return updateIn(tx, caller, previous, sound, note);
  const { version } = previous.policy;
  tx.changed({ resource: `policy/${previous.policy.id}`, before: { version }, after: { version } });
  return previous;
}

function answerOf({ pack, scope, mode, previous }: Ground, plan: PackPlan, current?: CurrentPolicy): AppliedPack {
  const { made, checked, skipped, policyName, createdRules, removedRules, diff } = plan;
  return {
    ...{
      packId: packIdOf(pack),
      scope,
      made,
      mode,
      skipped,
      policyName,
      createdRules,
      removedRules,
      diff,
      tests: checked.tests,
    },
    change: previous === null ? "created" : plan.isChanged ? "updated" : "unchanged",
    policyId: (current ?? previous)?.policy.id,
    policyVersion: (current ?? previous)?.policy.version,
  };
}

/** Shadow where a mistake would do harm: in protected environments, and in those that do not exist yet. */
async function usualMode(tx: Transaction, { appId, env }: PolicyScope): Promise<ModeName> {
  const found = await protectionOf(tx, { appId, env });
  return found.environments > 0 && found.protected === 0 ? "enforce" : "shadow";
}

function assertReplaceable(caller: Caller, { policy }: CurrentPolicy, scope: PolicyScope): void {
  const apps = visibleApps(caller);
  const isThere = policy.appId === scope.appId && policy.agentId === scope.agentId && policy.env === scope.env;
  if (isThere && (apps === undefined || apps.includes(policy.appId))) return;
  throw new Fault(
    Reason.CONFLICT,
    "a policy of this name exists in another scope; rename it, or give this one another target",
  );
}

const maxNameLength = 128;

/** Unique by pack and scope: "pii-eu" for everything, "pii-eu-support-bot-prod" for an agent in an environment. */
function nameFor({ metadata }: Pack, { appId, agentId, env }: PolicyScope): string {
  const parts = [metadata.id, appId.slice(0, 8), agentId, env].filter((part) => part !== "*");
  const name = parts.join("-");
  if (name.length <= maxNameLength) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${name.slice(0, maxNameLength - digest.length - 1)}-${digest}`;
}
