// The versions of a policy: reading one, returning to one, and what changed between two.

import type { JsonObject } from "@bufbuild/protobuf";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import { diffPolicies, type PolicyDiff } from "../../runtime/engine/policy/diff.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { PolicyInvalid } from "../../runtime/engine/policy/problem.ts";
import type { TestRunOptions } from "../../runtime/engine/test-runner.ts";
import { findWitnesses, type Witness } from "../../runtime/engine/witness.ts";
import type { Clock } from "../kit/clock.ts";
import type { Caller } from "../kit/context.ts";
import { notFound } from "../kit/error.ts";
import type { Database, Transaction } from "../store/database.ts";
import { type CurrentPolicy, findPolicy, findPolicyVersion, type PolicyVersionRow } from "../store/policy.ts";
import type { Policies } from "./policy.ts";
import { requireVisible } from "./policy-scope.ts";

/** What changed between two versions, and requests that show it. */
export interface VersionDiff extends PolicyDiff {
  readonly from: number;
  readonly to: number;
  readonly witnesses: readonly Witness[];
}

/** Reads and restores versions of policies. */
export class PolicyHistory {
  readonly #database: Database;
  readonly #policies: Policies;
  readonly #clock: Clock;

  constructor(database: Database, policies: Policies, clock: Clock) {
    this.#database = database;
    this.#policies = policies;
    this.#clock = clock;
  }

  /** The version. */
  get(caller: Caller, id: string, version: number): Promise<PolicyVersionRow> {
    return this.#database.read(caller.orgId, async (tx) => {
      requireVisible(caller, await findPolicy(tx, id));
      return requireVersion(tx, id, version);
    });
  }

  /** Adds a version with the document of an earlier one, comments included. */
  async restore(
    caller: Caller,
    id: string,
    version: number,
    { message, expectedVersion }: { readonly message?: string; readonly expectedVersion?: number },
  ): Promise<CurrentPolicy> {
    // A version never changes, so nothing can happen between this and the update.
    const { source, document } = await this.get(caller, id, version);
    const input = { document: source ?? document, message: message ?? `restores version ${version}`, expectedVersion };
    return this.#policies.update(caller, id, input);
  }

  /** What changed; by default between the newest version and the one before it. */
  async diff(
    caller: Caller,
    id: string,
    range: { readonly from?: number; readonly to?: number },
  ): Promise<VersionDiff> {
    const [before, after] = await this.#database.read(caller.orgId, async (tx) => {
      const { policy } = requireVisible(caller, await findPolicy(tx, id));
      const to = range.to ?? policy.version;
      const from = range.from ?? Math.max(1, to - 1);
      return [await requireVersion(tx, id, from), await requireVersion(tx, id, to)] as const;
    });
    const [old, now] = [asPolicy(before.document), asPolicy(after.document)];
    const { packs } = this.#policies;
    const witnesses = witnessesOf(old, now, { now: this.#clock.now(), packs });
    return { from: before.version, to: after.version, ...diffPolicies(old, now, catalog, packs), witnesses };
  }
}

async function requireVersion(tx: Transaction, id: string, version: number): Promise<PolicyVersionRow> {
  const found = await findPolicyVersion(tx, id, version);
  if (found === null) throw notFound("policy version");
  return found;
}

/** A stored document as a policy: it was one when it was stored. */
function asPolicy(document: JsonObject): PolicyDocument {
  return document as unknown as PolicyDocument; // the interface only names the keys
}

/** None for a version that an earlier release took and this one cannot run. */
function witnessesOf(before: PolicyDocument, after: PolicyDocument, options: TestRunOptions): readonly Witness[] {
  try {
    return findWitnesses(before, after, options);
  } catch (error) {
    if (error instanceof PolicyInvalid) return [];
    throw error;
  }
}
