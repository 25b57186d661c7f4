// Policies: versioned guard documents. A version never changes; an update adds one.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { violatedUnique } from "../../store/connection/driver-error.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  type CurrentPolicy,
  countRules,
  deletePolicy,
  findPolicy,
  listPolicies,
  listPolicyPlaces,
  listPolicyVersions,
  lockPolicy,
  type PolicyPlace,
  PolicyRow,
  PolicyVersionRow,
} from "../../store/policy/policy.ts";
import { replacePolicyDetectors } from "../../store/policy/policy-detector.ts";
import type { Analysis, Asker } from "../analysis/analysis.ts";
import type { CheckedDocument, PolicyCheck } from "../analysis/check-policy.ts";
import { requireSound, type SoundDocument } from "../analysis/policy-document.ts";
import { publishEvent } from "../event/event.ts";
import { usedDetectors } from "./detector.ts";
import { assertMeetsScope } from "./match.ts";
import {
  assertMayWrite,
  type PolicyScope,
  requireVisible,
  resolveScope,
  type ScopeInput,
  visibleApps,
  visibleProject,
} from "./scope.ts";

/** A document and its scope. */
export interface PolicyInput {
  readonly document: JsonValue;
  readonly scope?: ScopeInput;
  readonly message?: string;
}

/** Which policies to list. Every given field has to match. */
export interface PolicyQuery {
  /** The project of the scope, or "*". */
  readonly appId?: string | undefined;
  readonly name?: string | undefined;
  /** What the name or the description contains. */
  readonly query?: string | undefined;
}

/** A page of policies, their count, and of those of the page how many rules they have and where they are active. */
export interface PolicyList {
  readonly rows: readonly PolicyRow[];
  readonly total: number;
  /** By the policy's id. */
  readonly ruleCounts: ReadonlyMap<string, number>;
  readonly places: readonly PolicyPlace[];
}

/** Creates, lists, changes and deletes policies. */
export class Policies {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #analysis: Analysis;

  constructor(database: Database, clock: Clock, analysis: Analysis) {
    this.#database = database;
    this.#clock = clock;
    this.#analysis = analysis;
  }

  /** Checks a document, with its tests unless told not to, and finds the rules that make streams wait; stores nothing. */
  validate(asker: Asker, document: JsonValue, { skipsTests = false } = {}): Promise<CheckedDocument> {
    return this.#check(asker, document, { wantsVerdicts: true, skipsTests });
  }

  /** Creates a policy. A document with errors or failing tests is refused. */
  async create(caller: Caller, input: PolicyInput, signal?: AbortSignal): Promise<CurrentPolicy> {
    const sound = requireSound(await this.#check({ orgId: caller.orgId, signal }, input.document));
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const scope = await resolveScope(tx, input.scope ?? {});
        assertMayWrite(caller, scope);
        return createIn(tx, caller, sound, { scope, message: input.message });
      }),
    );
  }

  /** A page of the policies that match and that the caller sees. */
  list(caller: Caller, page: Page, { appId, name, query }: PolicyQuery = {}): Promise<PolicyList> {
    return this.#database.read(caller.orgId, async (tx) => {
      const visible = visibleApps(caller);
      const appIds = appId === undefined ? visible : [appId].filter((id) => visible?.includes(id) ?? true);
      const [rows, total] = await listPolicies(tx, page, { appIds, name, query });
      const ids = rows.map(({ id }) => id);
      const ruleCounts = await countRules(tx, rows);
      return { rows, total, ruleCounts, places: await listPolicyPlaces(tx, ids, visibleProject(caller)) };
    });
  }

  /** The policy with its newest document. */
  get(caller: Caller, id: string): Promise<CurrentPolicy> {
    return this.#database.read(caller.orgId, async (tx) => requireVisible(caller, await findPolicy(tx, id)));
  }

  /** Adds a version. It has to follow `expectedVersion`; without it, it follows the newest one. */
  async update(
    caller: Caller,
    id: string,
    input: PolicyInput & { readonly expectedVersion?: number },
    signal?: AbortSignal,
  ): Promise<CurrentPolicy> {
    const sound = requireSound(await this.#check({ orgId: caller.orgId, signal }, input.document));
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const found = requireVisible(caller, await lockPolicy(tx, id));
        assertMayWrite(caller, found.policy);
        assertVersion(found.policy.version, input.expectedVersion);
        const scope =
          input.scope === undefined ? found.policy : await resolveScope(tx, input.scope, { current: found.policy });
        assertMayWrite(caller, scope);
        return updateIn(tx, caller, found, sound, { scope, message: input.message });
      }),
    );
  }

  /** Deletes the policy. Bundles that contain it keep it. */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const { policy, current } = requireVisible(caller, await lockPolicy(tx, id));
      await publishEvent(tx, "policy.updated", { ...eventData(policy), change: "deleted" });
      tx.changed({ resource: `policy/${id}`, before: auditView(policy, current), after: null });
      await deletePolicy(tx, id);
    });
  }

  /** A page of the policy's versions. */
  listVersions(caller: Caller, id: string, page: Page): Promise<[PolicyVersionRow[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      requireVisible(caller, await findPolicy(tx, id));
      return listPolicyVersions(tx, id, page);
    });
  }

  #check(
    asker: Asker,
    document: JsonValue,
    wishes: Omit<PolicyCheck, "document" | "now"> = {},
  ): Promise<CheckedDocument> {
    return this.#analysis.run("checkPolicy", { document, now: this.#clock.now(), ...wishes }, asker);
  }
}

/** The scope of a policy, and its author's message about the version. */
export interface VersionNote {
  readonly scope: PolicyScope;
  readonly message: string | undefined;
}

/** Creates a policy within a transaction: its row, its first version, its event and its audit entry. */
export async function createIn(
  tx: Transaction,
  caller: Caller,
  sound: SoundDocument,
  { scope, message }: VersionNote,
): Promise<CurrentPolicy> {
  assertMeetsScope(sound, scope);
  const policy = tx.em.create(PolicyRow, {
    orgId: tx.orgId,
    id: newId(),
    version: 1,
    createdAt: tx.now,
    updatedAt: tx.now,
    ...scope,
    ...namesOf(sound),
  });
  // The policy is written before its version: MikroORM does not know the foreign key between them.
  await tx.em.flush();
  const current = addVersion(tx, policy, sound, message, caller);
  await committed(tx, { policy, current }, null);
  return { policy, current };
}

/** Adds a version to a locked policy within a transaction, with its event and its audit entry. */
export async function updateIn(
  tx: Transaction,
  caller: Caller,
  { policy, current: previous }: CurrentPolicy,
  sound: SoundDocument,
  { scope, message }: VersionNote,
): Promise<CurrentPolicy> {
  assertMeetsScope(sound, scope);
  const before = auditView(policy, previous);
  Object.assign(policy, namesOf(sound), scopeOf(scope), { version: policy.version + 1, updatedAt: tx.now });
  const current = addVersion(tx, policy, sound, message, caller);
  await committed(tx, { policy, current }, before);
  return { policy, current };
}

async function committed(
  tx: Transaction,
  { policy, current }: CurrentPolicy,
  before: JsonObject | null,
): Promise<void> {
  await tx.em.flush();
  await replacePolicyDetectors(tx, policy.id, usedDetectors(current.document));
  const change = before === null ? "created" : "updated";
  await publishEvent(tx, "policy.updated", { ...eventData(policy), change });
  tx.changed({ resource: `policy/${policy.id}`, before, after: auditView(policy, current) });
}

function addVersion(
  tx: Transaction,
  policy: PolicyRow,
  { document, source }: SoundDocument,
  message: string | undefined,
  caller: Caller,
): PolicyVersionRow {
  return tx.em.create(PolicyVersionRow, {
    orgId: tx.orgId,
    policyId: policy.id,
    version: policy.version,
    document,
    source,
    message: message ?? null,
    author: caller.credential.label,
    createdAt: tx.now,
  });
}

function assertVersion(current: number, expected: number | undefined): void {
  if (expected === undefined || expected === current) return;
  throw new Fault(
    Reason.VERSION_CONFLICT,
    `the policy is at version ${current}, not ${expected}; read it again and repeat your change`,
    { extra: { current_version: current } },
  );
}

/** Runs work that writes a policy. The name of another policy is a 409. */
export async function namesAreUnique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (violatedUnique(error) !== "policy_name") throw error;
    throw new Fault(Reason.ALREADY_EXISTS, "a policy with this metadata.name exists; update that one or rename yours", {
      cause: error,
    });
  }
}

function namesOf({ policy }: SoundDocument): { name: string; description: string | null } {
  return { name: policy.metadata.name, description: policy.metadata.description ?? null };
}

function scopeOf({ appId, agentId, env }: PolicyScope): PolicyScope {
  return { appId, agentId, env };
}

function eventData(policy: PolicyRow): { policy_id: string; name: string; version: number } {
  return { policy_id: policy.id, name: policy.name, version: policy.version };
}

function auditView(policy: PolicyRow, current: PolicyVersionRow): JsonObject {
  const scope = { app_id: policy.appId, agent_id: policy.agentId, env: policy.env };
  const { version, message, document } = current;
  return { scope, version, message: message ?? null, document };
}
