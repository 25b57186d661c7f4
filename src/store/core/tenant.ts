// What every tenant table has in common: org_id first in its keys, and row-level security that lets a transaction see
// the rows of one organization only.

import { lookupRole } from "./roles.ts";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/**
 * Entity options of a tenant table. The policy compares with `app.org_id`, which `Database.transaction` sets; outside
 * of one it is unset and no row matches. `nullif` is needed: a connection that once set it locally later reads ''.
 */
export const tenantTable = {
  rowLevelSecurity: "force" as const,
  policies: [{ name: "tenant", using: own, check: own }],
};

/** The same for a table that look-up functions read before the organization is known. */
export const lookupTenantTable = {
  ...tenantTable,
  policies: [
    ...tenantTable.policies,
    { name: "lookup", command: "select" as const, roles: [lookupRole], using: "true" },
  ],
};
