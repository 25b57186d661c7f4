// Applying a guard pack: from a pack, values and a place to a version of a policy. The pack's own document is kept beside the policy,
// so that a later application can tell what people changed from what the pack changed.

import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { isSameJson } from "../../runtime/engine/pack/digest.ts";
import { instantiatePack } from "../../runtime/engine/pack/instantiate.ts";
import type { PackLibrary } from "../../runtime/engine/pack/library.ts";
import { mergeDocuments } from "../../runtime/engine/pack/merge.ts";
import { type Pack, PackParametersInvalid, type PackPolicy } from "../../runtime/engine/pack/pack.ts";
import { packSource } from "../../runtime/engine/pack/source.ts";
import { diffPolicies, type PolicyDiff } from "../../runtime/engine/policy/diff.ts";
import type { ModeName, PolicyDocument } from "../../runtime/engine/policy/document.ts";
import type { PackSource } from "../../runtime/engine/policy/extend.ts";
import { PolicyInvalid } from "../../runtime/engine/policy/problem.ts";
import type { PolicyTestResult } from "../../runtime/engine/test-runner.ts";
import type { Clock } from "../kit/clock.ts";
import type { Caller } from "../kit/context.ts";
import { Fault, validationFailed } from "../kit/error.ts";
import type { Database, Transaction } from "../store/database.ts";
import { protectionOf } from "../store/environment.ts";
import { type CurrentPolicy, findPolicy, findPolicyByName, lockPolicy } from "../store/policy.ts";
import { findPolicyPack, holdPackPlace, type PolicyPackRow, savePolicyPack } from "../store/policy-pack.ts";
import { requirePack } from "./pack.ts";
import { createIn, namesAreUnique, updateIn, type VersionNote } from "./policy.ts";
import {
  type CheckedDocument,
  checkDocument,
  policyInvalid,
  requireSound,
  type SoundDocument,
} from "./policy-document.ts";
import { assertMayWrite, type PolicyScope, resolveScope, type ScopeInput, visibleApps } from "./policy-scope.ts";

/** What becomes of what people changed by hand. */
export type ConflictRule = "fail" | "merge" | "replace";

/** What to apply, where and how. */
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

/** What came of it. */
export interface AppliedPack {
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

/** What an application would do. */
interface Plan {
  readonly pack: Pack;
  readonly scope: PolicyScope;
  readonly mode: ModeName;
  readonly made: PackPolicy;
  readonly kept: PolicyPackRow | null;
  readonly previous: CurrentPolicy | null;
  readonly checked: CheckedDocument;
  readonly document: JsonObject;
  readonly skipped: readonly string[];
}

/** Applies packs. */
export class PackApplications {
  readonly #library: PackLibrary;
  readonly #database: Database;
  readonly #clock: Clock;
  /** For what people added to a policy that a pack made. */
  readonly #packs: PackSource;

  constructor(library: PackLibrary, database: Database, clock: Clock) {
    this.#library = library;
    this.#packs = packSource(library);
    this.#database = database;
    this.#clock = clock;
  }

  /** Applies a pack, or only says what would happen. */
  async apply(caller: Caller, input: PackApplication): Promise<AppliedPack> {
    const pack = requirePack(this.#library, input.packId, input.version);
    if (input.dryRun) {
      return this.#database.read(caller.orgId, async (tx) => answerOf(await this.#plan(tx, caller, pack, input)));
    }
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const plan = await this.#plan(tx, caller, pack, input);
        const current = await carryOut(tx, caller, plan, input.message);
        return answerOf(plan, current);
      }),
    );
  }

  async #plan(tx: Transaction, caller: Caller, pack: Pack, input: PackApplication): Promise<Plan> {
    const scope = await resolveScope(tx, input.target, "target_");
    assertMayWrite(caller, scope);
    if (!input.dryRun) await holdPackPlace(tx, pack.metadata.id, scope);
    const kept = await findPolicyPack(tx, pack.metadata.id, scope);
    const name = nameFor(pack, scope);
    const previous = await this.#previous(tx, kept, name, input.dryRun);
    if (previous !== null) assertReplaceable(caller, previous, scope);
    const mode = input.mode ?? kept?.mode ?? (await usualMode(tx, scope));
    const parameters = input.parameters ?? kept?.parameters ?? {};
    const made = instantiate(pack, { parameters, mode, name: previous?.policy.name ?? name });
    const { document, skipped } = settle(made.document, kept?.document, previous?.current.document, input.conflict);
    const checked = checkDocument(document, this.#clock.now(), this.#packs);
    if (checked.document === undefined) throw policyInvalid(checked.problems);
    return { pack, scope, mode, made, kept, previous, checked, document: checked.document, skipped };
  }

  async #previous(tx: Transaction, kept: PolicyPackRow | null, name: string, dryRun: boolean) {
    const found = kept === null ? await findPolicyByName(tx, name) : await findPolicy(tx, kept.policyId);
    return dryRun || found === null ? found : lockPolicy(tx, found.policy.id);
  }
}

function instantiate(pack: Pack, use: { parameters: JsonObject; mode: ModeName; name: string }): PackPolicy {
  try {
    return instantiatePack(pack, use);
  } catch (error) {
    if (error instanceof PackParametersInvalid) {
      throw validationFailed(error.problems.map(({ path, message }) => ({ field: path, message })));
    }
    if (error instanceof PolicyInvalid) throw policyInvalid(error.problems);
    throw error;
  }
}

/** The document that the policy is to have. `base` is what the pack made last, `current` what the policy is now. */
function settle(
  made: JsonObject,
  base: JsonObject | undefined,
  current: JsonObject | undefined,
  conflict: ConflictRule,
): { readonly document: JsonObject; readonly skipped: readonly string[] } {
  if (current === undefined || conflict === "replace") return { document: made, skipped: [] };
  if (base !== undefined && isSameJson(current, base)) return { document: made, skipped: [] };
  if (base !== undefined && isSameJson(made, base)) return { document: current, skipped: [] };
  if (conflict === "merge") return mergeDocuments(base ?? {}, current, made);
  throw new Fault(
    Reason.CONFLICT,
    base === undefined
      ? "a policy of this name exists that no pack made; apply with conflict merge or replace, or rename it"
      : "the policy was changed by hand since the pack was applied; apply with conflict merge or replace",
  );
}

async function carryOut(tx: Transaction, caller: Caller, plan: Plan, message?: string): Promise<CurrentPolicy> {
  const { pack, scope, mode, made, kept, previous, checked } = plan;
  const { id, version } = pack.metadata;
  const sound = { ...requireSound(checked), source: null };
  const note = { scope, message: message ?? `applies pack ${id} ${version}` };
  const current = await written(tx, caller, previous, { sound, note, isChanged: isChanged(plan) });
  const keeps =
    kept?.packVersion === version &&
    kept.mode === mode &&
    isSameJson(kept.parameters, made.parameters) &&
    isSameJson(kept.document, made.document);
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

function isChanged({ previous, document }: Plan): boolean {
  return previous === null || !isSameJson(document, previous.current.document);
}

function answerOf(plan: Plan, current?: CurrentPolicy): AppliedPack {
  const { scope, made, mode, previous, checked, document, skipped } = plan;
  // Both are checked documents; the interface only names the keys.
  const now = document as unknown as PolicyDocument;
  const old =
    previous === null
      ? { ...now, rules: [], exemptions: [] }
      : (previous.current.document as unknown as PolicyDocument);
  const [before, after] = [old, now].map(({ rules }) => rules.map(({ id }) => id)) as [string[], string[]]; // two in, two out
  return {
    ...{ scope, made, mode, skipped, tests: checked.tests },
    change: previous === null ? "created" : isChanged(plan) ? "updated" : "unchanged",
    policyId: (current ?? previous)?.policy.id,
    policyName: now.metadata.name,
    policyVersion: (current ?? previous)?.policy.version,
    createdRules: after.filter((id) => !before.includes(id)),
    removedRules: before.filter((id) => !after.includes(id)),
    diff: diffPolicies(old, now),
  };
}

/** Shadow where a mistake would be felt: in protected environments, and in those that do not exist yet. */
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

const longestName = 128;

/** Unique by pack and scope: "pii-eu" for everything, "pii-eu-support-bot-prod" for an agent in an environment. */
function nameFor({ metadata }: Pack, { appId, agentId, env }: PolicyScope): string {
  const parts = [metadata.id, appId.slice(0, 8), agentId, env].filter((part) => part !== "*");
  const name = parts.join("-");
  if (name.length <= longestName) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${name.slice(0, longestName - digest.length - 1)}-${digest}`;
}
