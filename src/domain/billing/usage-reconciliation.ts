// Compares the two counts of metered evaluations: `usage_month`, which the quota goes by, and `usage_day`, which says
// where they came from. Both count each evaluation in the transaction that stores it, so a difference is a fault of the
// program or of somebody's hands in the database. It is told and never repaired: which of the two is right, only a
// person can say.

import { fromBinary } from "@bufbuild/protobuf";
import { TallySchema } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import { tryEach } from "../../platform/try-each.ts";
import { readMonths } from "../../store/billing/usage.ts";
import { sumUsageDays } from "../../store/billing/usage-day.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { readDeltas } from "../../store/telemetry/stat-delta.ts";
import { lookUpOrganizations } from "../../store/tenancy/organization.ts";
import { monthOf } from "../telemetry/trace-tally.ts";

const minuteMs = 60_000;

/** Evaluations of a month. */
interface MonthSum {
  readonly evaluations: number;
  readonly overage: number;
}

/** A month of an organization whose two counts differ. */
export interface UsageDifference {
  readonly orgId: string;
  /** First day of the month, in UTC. */
  readonly month: string;
  readonly byMonth: MonthSum;
  readonly byDay: MonthSum;
}

/** Compares counts of usage. */
export class UsageReconciliation {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Tells each difference of this month and the one before, of all organizations, as it is found. A failure in one does
   * not stop the others: at the end, an AggregateError contains the failures.
   */
  async compare(now: Date, onDifference: (difference: UsageDifference) => void): Promise<void> {
    const from = monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)));
    await tryEach(await lookUpOrganizations(this.#database), {
      nameOf: ({ id }) => id,
      work: async ({ id }) => {
        for (const each of await this.#database.read(id, (tx) => usageDifferences(tx, from))) onDifference(each);
      },
    });
  }
}

/** The months of the organization, from this one on, whose two counts differ. */
export async function usageDifferences(tx: Transaction, from: string): Promise<UsageDifference[]> {
  const byMonth = new Map((await readMonths(tx, from)).map((row) => [row.month, row]));
  const byDay = await sumByDay(tx, from);
  const months = [...new Set([...byMonth.keys(), ...byDay.keys()])].sort();
  const none = { evaluations: 0, overage: 0 };
  return months.flatMap((month) => {
    const counted = byMonth.get(month) ?? none;
    const summed = byDay.get(month) ?? none;
    if (counted.evaluations === summed.evaluations && counted.overage === summed.overage) return [];
    const { evaluations, overage } = counted;
    return [{ orgId: tx.orgId, month, byMonth: { evaluations, overage }, byDay: summed }];
  });
}

async function sumByDay(tx: Transaction, from: string): Promise<Map<string, MonthSum>> {
  const sums = new Map<string, MonthSum>();
  const add = (month: string, { evaluations, overage }: MonthSum) => {
    const before = sums.get(month) ?? { evaluations: 0, overage: 0 };
    sums.set(month, { evaluations: before.evaluations + evaluations, overage: before.overage + overage });
  };
  for (const { month, ...sum } of await sumUsageDays(tx, from)) add(month, sum);
  for (const { tally } of await readDeltas(tx)) {
    for (const { minute, evaluations } of fromBinary(TallySchema, tally).minutes) {
      const month = monthOf(new Date(minute * minuteMs));
      if (month >= from) for (const cell of evaluations) add(month, cell);
    }
  }
  return sums;
}
