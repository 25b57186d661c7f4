// Charges a batch of evaluations to the quota: those that a lease covers spend it, the others are overage. This happens
// in the transaction that stores them, after the month's counters are locked.

import { isUuid } from "../../kit/process/id.ts";
import { addOverage, type LeaseSpend, spendLeases } from "../../store/billing/quota-lease.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { InstanceKey } from "../../store/fleet/runtime-instance.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import type { AcceptedRecord } from "../telemetry/trace-record.ts";
import { monthOf, tallyMonths } from "../telemetry/trace-tally.ts";
import { monthlyLimit } from "./plan.ts";

/**
 * Spends the leases of these evaluations in their order, and returns those that no lease covers. On a plan without a
 * limit, evaluations need no lease.
 */
export async function spendQuota(
  tx: Transaction,
  source: Pick<InstanceKey, "instanceId">,
  records: readonly AcceptedRecord[],
): Promise<ReadonlySet<AcceptedRecord>> {
  if (records.length === 0) return new Set();
  if (monthlyLimit(await findOrganization(tx)) === null) return new Set();
  const covered = await spendLeases(tx, source, tallyLeases(records));
  const overage = uncovered(records, covered);
  await addOverage(tx, tallyMonths([...overage]));
  return overage;
}

function tallyLeases(records: readonly AcceptedRecord[]): LeaseSpend[] {
  const spends = new Map<string, LeaseSpend>();
  for (const record of records) {
    const { leaseId: id } = record.reported;
    if (!isUuid(id)) continue;
    const key = spendKey(record);
    spends.set(key, { id, month: monthOf(record.createdAt), count: (spends.get(key)?.count ?? 0) + 1 });
  }
  return [...spends.values()];
}

function uncovered(records: readonly AcceptedRecord[], covered: readonly LeaseSpend[]): Set<AcceptedRecord> {
  const left = new Map(covered.map(({ id, month, count }) => [`${id} ${month}`, count]));
  return new Set(
    records.filter((record) => {
      const key = spendKey(record);
      const rest = left.get(key) ?? 0;
      if (rest > 0) left.set(key, rest - 1);
      return rest === 0;
    }),
  );
}

// PostgreSQL writes UUIDs in lower case.
function spendKey({ reported, createdAt }: AcceptedRecord): string {
  return `${reported.leaseId.toLowerCase()} ${monthOf(createdAt)}`;
}
