// How much of its plan an organization has used. The ingest counts it, in the transaction that stores the traces.

import type { Caller } from "../../kit/rpc/context.ts";
import { readLeased, readPlaygroundUsage, readUsage } from "../../store/billing/usage.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { monthlyLimit, type Plan } from "./plan.ts";
import { quotaResetsAt } from "./quota.ts";

/** The usage of a calendar month in UTC. */
export interface UsageView {
  /** Such as "2026-11". */
  readonly month: string;
  readonly plan: Plan;
  /** All evaluations that count, including those of the playground. */
  readonly evaluations: number;
  readonly playgroundEvaluations: number;
  /** Those of the evaluations that no lease covered. */
  readonly overageEvaluations: number;
  /** Leased to runtimes and not reported yet. */
  readonly leasedEvaluations: number;
  /** Null where the plan has no limit. */
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly resetsAt: Date;
}

/** Reads usage. */
export class Usage {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The usage of the current month. */
  get(caller: Caller): Promise<UsageView> {
    return this.#database.read(caller.orgId, readUsageView);
  }
}

/** The same within a transaction. */
export async function readUsageView(tx: Transaction): Promise<UsageView> {
  const organization = await findOrganization(tx);
  const { plan } = organization;
  const month = tx.now.toISOString().slice(0, 7);
  const playgroundEvaluations = await readPlaygroundUsage(tx, `${month}-01`);
  const evaluations = playgroundEvaluations + (await readUsage(tx, `${month}-01`));
  const limit = monthlyLimit(organization);
  const remaining = limit === null ? null : Math.max(0, limit - evaluations);
  const { overage: overageEvaluations, outstanding: leasedEvaluations } = await readLeased(tx, `${month}-01`);
  const counts = { evaluations, playgroundEvaluations, overageEvaluations, leasedEvaluations };
  return { month, plan, ...counts, limit, remaining, resetsAt: quotaResetsAt(tx.now) };
}
