// The services of this room: plans, usage, quotas and invoices.

import type { Database } from "../../store/connection/database.ts";
import type { BillingMode } from "./advice.ts";
import { Billing } from "./billing.ts";
import { LocalPages } from "./local-page.ts";
import type { NoticeMailer } from "./notice.ts";
import type { PriceList } from "./price.ts";
import { Quota } from "./quota.ts";
import { Usage } from "./usage.ts";
import { UsageHistory } from "./usage-history.ts";

/** What the services are built from. */
export interface BillingParts {
  readonly database: Database;
  /** Where a larger plan comes from. */
  readonly billingMode: BillingMode;
  readonly prices: PriceList;
  /** How long a missing payment may take. */
  readonly graceMs: number;
  /** How many days a first subscription is tried out; 0 for none. */
  readonly trialDays: number;
  /** Undefined when mail is not configured. */
  readonly mailer: NoticeMailer;
  /** Address of the control plane, without a slash at its end. */
  readonly publicUrl: string;
}

/** Builds the services. */
export function createBillingDomain({ database, billingMode: mode, ...parts }: BillingParts) {
  const { prices, graceMs, trialDays, mailer, publicUrl } = parts;
  const options = { mode, prices, graceMs, trialDays, mailer, publicUrl };
  return {
    usage: new Usage(database),
    usageHistory: new UsageHistory(database),
    quota: new Quota(database, { mode }),
    billing: new Billing(database, options),
    localPages: new LocalPages(database, options),
    publicUrl,
  };
}
