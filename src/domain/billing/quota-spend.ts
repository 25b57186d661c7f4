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

/** Spends the leases of these evaluations. On a plan without a limit, evaluations need no lease. */
export async function spendQuota(
  tx: Transaction,
  source: Pick<InstanceKey, "instanceId">,
  records: readonly AcceptedRecord[],
): Promise<void> {
  if (records.length === 0) return;
  if (monthlyLimit(await findOrganization(tx)) === null) return;
  const covered = await spendLeases(tx, source, tallyLeases(records));
  const overage = [...tallyMonths(records)].map(([month, count]): [string, number] => [
    month,
    count - (covered.get(month) ?? 0),
  ]);
  await addOverage(tx, new Map(overage));
}

function tallyLeases(records: readonly AcceptedRecord[]): LeaseSpend[] {
  const spends = new Map<string, LeaseSpend>();
  for (const { reported, createdAt } of records) {
    const { leaseId: id } = reported;
    if (!isUuid(id)) continue;
    const month = monthOf(createdAt);
    const key = `${id} ${month}`;
    spends.set(key, { id, month, count: (spends.get(key)?.count ?? 0) + 1 });
  }
  return [...spends.values()];
}
