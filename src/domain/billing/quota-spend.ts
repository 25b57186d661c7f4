// Charges a batch of evaluations to the quota: those that a lease covers spend it, the others are overage. This happens
// in the transaction that stores them, after the month's counters are locked.

import type { TallyMinute } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import { isUuid } from "../../kit/process/id.ts";
import { addOverage, type LeaseCover, recallGraceMs, spendLeases } from "../../store/billing/quota-lease.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { InstanceKey } from "../../store/fleet/runtime-instance.ts";
import { readQuotaTerms } from "../../store/tenancy/organization.ts";
import type { AcceptedRecord } from "../telemetry/trace-record.ts";
import { beginOf, countedMonths, monthOf, tallyMonths } from "../telemetry/trace-tally.ts";
import { monthlyLimit } from "./plan.ts";

/**
 * Spends the leases of these evaluations, in the order of the batch. Returns those that no lease covers. On a plan
 * without a limit evaluations need no lease, and neither do those that were made while there was such a plan.
 */
export async function spendQuota(
  tx: Transaction,
  source: Pick<InstanceKey, "instanceId">,
  records: readonly AcceptedRecord[],
): Promise<ReadonlySet<AcceptedRecord>> {
  const none = new Set<AcceptedRecord>();
  if (records.length === 0) return none;
  const terms = await readQuotaTerms(tx);
  if (monthlyLimit(terms) === null) return none;
  const { unlimitedUntil } = terms;
  const leased = records.filter(({ reported: { leaseId } }) => isUuid(leaseId));
  const spends = leased.map(({ reported: { leaseId }, createdAt }) => ({
    id: leaseId,
    month: monthOf(createdAt),
    madeAt: createdAt,
  }));
  const covered = coveredOf(leased, await spendLeases(tx, source, spends));
  const isUnlimited = ({ reported: { leaseId }, createdAt }: AcceptedRecord) =>
    !isUuid(leaseId) && isBefore(createdAt, unlimitedUntil);
  const overage = records.filter((record) => !covered.has(record) && !isUnlimited(record));
  await addOverage(tx, tallyMonths(overage));
  return new Set(overage);
}

/**
 * Charges evaluations that are only counted. Returns the minutes that the plan does not cover: those that were made
 * after it got a limit, by a runtime that did not know.
 */
export async function chargeCounted(
  tx: Transaction,
  minutes: readonly TallyMinute[],
): Promise<ReadonlySet<TallyMinute>> {
  if (minutes.length === 0) return new Set();
  const terms = await readQuotaTerms(tx);
  if (monthlyLimit(terms) === null) return new Set();
  const overage = minutes.filter((minute) => !isBefore(beginOf(minute), terms.unlimitedUntil));
  await addOverage(tx, countedMonths(overage));
  return new Set(overage);
}

/** The first evaluations of each lease, as many as it covers. */
function coveredOf(leased: readonly AcceptedRecord[], covers: readonly LeaseCover[]): ReadonlySet<AcceptedRecord> {
  const left = new Map(covers.map((cover) => [`${cover.id} ${cover.month}`, { ...cover }]));
  return new Set(
    leased.filter(({ reported: { leaseId }, createdAt }) => {
      const cover = left.get(`${leaseId} ${monthOf(createdAt)}`);
      if (cover === undefined || cover.covered === 0) return false;
      if (cover.closedAt !== null && !isBefore(createdAt, cover.closedAt)) return false;
      left.set(`${leaseId} ${monthOf(createdAt)}`, { ...cover, covered: cover.covered - 1 });
      return true;
    }),
  );
}

/** Whether this is before the moment, or so shortly after it that its runtime may not have heard of it. */
function isBefore(madeAt: Date, moment: Date | null): boolean {
  return moment !== null && madeAt.getTime() < moment.getTime() + recallGraceMs;
}
