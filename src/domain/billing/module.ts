// The services of this room: plans, usage, quotas and invoices.

import type { StripeApi } from "../../platform/stripe/stripe.ts";
import type { Database } from "../../store/connection/database.ts";
import type { BillingMode } from "./advice.ts";
import { Billing } from "./billing.ts";
import { LocalPages } from "./local-page.ts";
import type { NoticeMailer } from "./notice.ts";
import type { PriceList } from "./price.ts";
import type { ProviderChanges } from "./provider-change.ts";
import { type EventResult, ProviderEvents } from "./provider-event.ts";
import type { ProviderSync } from "./provider-sync.ts";
import { Quota } from "./quota.ts";
import { StripeProvider } from "./stripe-provider.ts";
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
  /** Undefined where Stripe is not connected. */
  readonly stripe:
    | { readonly api: StripeApi; readonly sync: ProviderSync; readonly changes: ProviderChanges }
    | undefined;
  /** Called with what became of each event of Stripe. */
  readonly onProviderEvent: (result: EventResult) => void;
}

/** Builds the services. */
export function createBillingDomain({ database, billingMode: mode, ...parts }: BillingParts) {
  const { prices, graceMs, trialDays, mailer, publicUrl, stripe, onProviderEvent } = parts;
  const options = { mode, prices, graceMs, trialDays, mailer, publicUrl };
  return {
    usage: new Usage(database),
    usageHistory: new UsageHistory(database),
    quota: new Quota(database, { mode }),
    billing: new Billing(database, options, stripe && new StripeProvider(database, { ...stripe, options })),
    providerEvents: stripe && new ProviderEvents(database, stripe.api, onProviderEvent),
    localPages: new LocalPages(database, options),
    publicUrl,
  };
}
