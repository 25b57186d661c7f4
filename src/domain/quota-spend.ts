// What a batch of evaluations takes from the quota: leases that cover them are spent, the others are overage. In the transaction that
// stores them, after the month's counters are locked.

import { isUuid } from "../kit/id.ts";
import type { Transaction } from "../store/database.ts";
import { findOrganization } from "../store/organization.ts";
import { addOverage, type LeaseSpend, spendLeases } from "../store/quota-lease.ts";
import type { InstanceKey } from "../store/runtime-instance.ts";

import { monthlyLimit } from "./plan.ts";
import type { AcceptedRecord } from "./trace-record.ts";
import { monthOf, tallyMonths } from "./trace-tally.ts";

/** Spends the leases of these evaluations. Those of a plan without a limit need none. */
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
