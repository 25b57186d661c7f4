// Policies: versioned guard documents. A version never changes; an update adds one.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { noPacks, type PackSource } from "../../runtime/engine/policy/extend.ts";
import type { Clock } from "../kit/clock.ts";
import type { Caller } from "../kit/context.ts";
import { Fault } from "../kit/error.ts";
import { newId } from "../kit/id.ts";
import type { Page } from "../kit/page.ts";
import type { Database, Transaction } from "../store/database.ts";
import { violatedUnique } from "../store/driver-error.ts";
import {
  type CurrentPolicy,
  deletePolicy,
  findPolicy,
  listPolicies,
  listPolicyVersions,
  lockPolicy,
  PolicyRow,
  PolicyVersionRow,
} from "../store/policy.ts";
import { replacePolicyDetectors } from "../store/policy-detector.ts";
import { usedDetectors } from "./detector.ts";
import { publishEvent } from "./event.ts";
import { type CheckedDocument, checkDocument, requireSound, type SoundDocument } from "./policy-document.ts";
import { assertMeetsScope } from "./policy-match.ts";
import {
  assertMayWrite,
  type PolicyScope,
  requireVisible,
  resolveScope,
  type ScopeInput,
  visibleApps,
} from "./policy-scope.ts";

/** A document with where it is to apply. */
export interface PolicyInput {
  readonly document: JsonValue;
  readonly scope?: ScopeInput;
  readonly message?: string;
}

/** Creates, lists, changes and deletes policies. */
export class Policies {
  readonly #database: Database;
  readonly #clock: Clock;
  /** Where the packs are that policies extend. */
  readonly packs: PackSource;

  /** `packs` are those that policies may extend. */
  constructor(database: Database, clock: Clock, packs: PackSource = noPacks) {
    this.#database = database;
    this.#clock = clock;
    this.packs = packs;
  }

  /** Checks a document and runs its tests; stores nothing. */
  check(document: JsonValue): CheckedDocument {
    return checkDocument(document, this.#clock.now(), this.packs);
  }

  /** Creates a policy. A document with errors or failing tests is refused whole. */
  async create(caller: Caller, input: PolicyInput): Promise<CurrentPolicy> {
    const sound = requireSound(this.check(input.document));
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const scope = await resolveScope(tx, input.scope ?? {});
        assertMayWrite(caller, scope);
        return createIn(tx, caller, sound, { scope, message: input.message });
      }),
    );
  }

  /** A page of the policies that the caller sees; only the one of this name, when it is given. */
  list(caller: Caller, page: Page, name?: string): Promise<[PolicyRow[], number]> {
    return this.#database.read(caller.orgId, (tx) => listPolicies(tx, page, { appIds: visibleApps(caller), name }));
  }

  /** The policy with its newest document. */
  get(caller: Caller, id: string): Promise<CurrentPolicy> {
    return this.#database.read(caller.orgId, async (tx) => requireVisible(caller, await findPolicy(tx, id)));
  }

  /** Adds a version. `expectedVersion` is the one that it follows; without it, whichever is newest. */
  async update(
    caller: Caller,
    id: string,
    input: PolicyInput & { readonly expectedVersion?: number },
  ): Promise<CurrentPolicy> {
    const sound = requireSound(this.check(input.document));
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const found = requireVisible(caller, await lockPolicy(tx, id));
        assertMayWrite(caller, found.policy);
        assertVersion(found.policy.version, input.expectedVersion);
        const scope = input.scope === undefined ? found.policy : await resolveScope(tx, input.scope);
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
}

/** Where a policy applies, and what its author says of the version. */
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
  // The policy before its version: MikroORM does not know the foreign key between them.
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

/** Work whose policy may have the name of another: that is a 409. */
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
  return { ...scopeOf(policy), version: current.version, document: current.document };
}
