import type { Plan } from "../../../src/domain/billing/plan.ts";
import type { Database } from "../../../src/store/connection/database.ts";
import { findOrganization } from "../../../src/store/tenancy/organization.ts";

/** Puts an organization on a plan. */
export function setPlan(database: Database, orgId: string, plan: Plan): Promise<void> {
  return database.systemTransaction(orgId, async (tx) => {
    (await findOrganization(tx)).plan = plan;
  });
}
