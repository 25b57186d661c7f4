// What the tables about people have in common. A person belongs to no organization, so these tables have no org_id;
// row-level security lets a transaction see the rows of the one account that it acts for.

import { lookupRole } from "../core/roles.ts";

/**
 * Entity options of a table whose rows belong to the account in this column. `Database.accountTransaction` sets
 * `app.account_id`.
 */
export function accountTable(column: "id" | "account_id") {
  const own = `${column} = nullif(current_setting('app.account_id', true), '')::uuid`;
  return {
    rowLevelSecurity: "force" as const,
    policies: [
      { name: "account", using: own, check: own },
      { name: "lookup", command: "select" as const, roles: [lookupRole], using: "true" },
    ],
  };
}

/**
 * Entity options of a table that only functions of the schema `app` read and write: counters of attempts, of no
 * account.
 */
export const counterTable = {
  rowLevelSecurity: "force" as const,
  policies: [{ name: "lookup", roles: [lookupRole], using: "true", check: "true" }],
};

/** Tables about people and attempts: those without org_id. */
export const accountTables: readonly string[] = [
  "account",
  "session",
  "session_token",
  "one_time_token",
  "recovery_code",
  "login_failure",
  "address_limit",
];
