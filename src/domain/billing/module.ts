// The services of this room: usage and quotas.

import type { Database } from "../../store/connection/database.ts";
import type { BillingMode } from "./advice.ts";
import { Quota } from "./quota.ts";
import { Usage } from "./usage.ts";

/** What the services are built from. */
export interface BillingParts {
  readonly database: Database;
  /** Where a larger plan comes from. */
  readonly billingMode: BillingMode;
}

/** Builds the services. */
export function createBillingDomain({ database, billingMode: mode }: BillingParts) {
  return { usage: new Usage(database), quota: new Quota(database, { mode }) };
}
