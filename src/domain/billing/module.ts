// The services of this room: usage and quotas.

import type { Database } from "../../store/connection/database.ts";
import { Quota } from "./quota.ts";
import { Usage } from "./usage.ts";

/** What the services are built from. */
export interface BillingParts {
  readonly database: Database;
}

/** Builds the services. */
export function createBillingDomain({ database }: BillingParts) {
  return { usage: new Usage(database), quota: new Quota(database) };
}
