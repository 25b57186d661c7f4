// The versions of a policy: reads them, restores them and compares them, with a text that is not saved yet too.

import type { JsonValue } from "@bufbuild/protobuf";
import { notFound } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type CurrentPolicy, findPolicy, findPolicyVersion, type PolicyVersionRow } from "../../store/policy/policy.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { DiffWithCounterexamples } from "../analysis/diff-versions.ts";
import type { Policies } from "./policy.ts";
import { requireVisible } from "./scope.ts";

/** The difference of two versions, and requests that show it. */
export interface VersionDiff extends DiffWithCounterexamples {
  readonly from: number;
  readonly to: number;
}

/** What saving a document would change against a version. */
export interface DraftDiff extends DiffWithCounterexamples {
  readonly from: number;
}

/** Reads and restores versions of policies. */
export class PolicyHistory {
  readonly #database: Database;
  readonly #policies: Policies;
  readonly #clock: Clock;
  readonly #analysis: Analysis;

  constructor(
    database: Database,
    { policies, clock, analysis }: { readonly policies: Policies; readonly clock: Clock; readonly analysis: Analysis },
  ) {
    this.#database = database;
    this.#policies = policies;
    this.#clock = clock;
    this.#analysis = analysis;
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
    signal?: AbortSignal,
  ): Promise<CurrentPolicy> {
    // A version never changes, so it is the same when the update happens.
    const { source, document } = await this.get(caller, id, version);
    const input = { document: source ?? document, message: message ?? `restores version ${version}`, expectedVersion };
    return this.#policies.update(caller, id, input, signal);
  }

  /** The difference of two versions; by default of the newest one and the one before it. */
  async diff(
    caller: Caller,
    id: string,
    range: { readonly from?: number; readonly to?: number },
    signal?: AbortSignal,
  ): Promise<VersionDiff> {
    const [before, after] = await this.#database.read(caller.orgId, async (tx) => {
      const { policy } = requireVisible(caller, await findPolicy(tx, id));
      const to = range.to ?? policy.version;
      const from = range.from ?? Math.max(1, to - 1);
      return [await requireVersion(tx, id, from), await requireVersion(tx, id, to)] as const;
    });
    const pair = { before: before.document, after: after.document, now: this.#clock.now() };
    const diff = await this.#analysis.run("diffVersions", pair, { orgId: caller.orgId, signal });
    return { from: before.version, to: after.version, ...diff };
  }

  /** What a document would change against a version; by default against the newest one. */
  async diffDraft(
    caller: Caller,
    id: string,
    { from, document }: { readonly from?: number; readonly document: JsonValue },
    signal?: AbortSignal,
  ): Promise<DraftDiff> {
    const before = await this.#database.read(caller.orgId, async (tx) => {
      const { policy } = requireVisible(caller, await findPolicy(tx, id));
      return requireVersion(tx, id, from ?? policy.version);
    });
    const pair = { before: before.document, draft: document, now: this.#clock.now() };
    return { from: before.version, ...(await this.#analysis.run("diffDraft", pair, { orgId: caller.orgId, signal })) };
  }
}

async function requireVersion(tx: Transaction, id: string, version: number): Promise<PolicyVersionRow> {
  const found = await findPolicyVersion(tx, id, version);
  if (found === null) throw notFound("policy version");
  return found;
}
