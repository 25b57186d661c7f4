// How much of the month's allowance is used, as alert rules compare it.

import { readLeased, readUsage } from "../../store/billing/usage.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { monthOf } from "../telemetry/trace-tally.ts";
import { monthlyLimit } from "./plan.ts";

/**
 * The share in percent, leases that are out included, as notices at 80 and 100 % count it; undefined without a limit.
 */
export async function planUsagePercent(tx: Transaction): Promise<number | undefined> {
  const limit = monthlyLimit(await findOrganization(tx));
  if (limit === null) return undefined;
  const month = monthOf(tx.now);
  const used = (await readUsage(tx, month)) + (await readLeased(tx, month)).outstanding;
  return (100 * used) / limit;
}
