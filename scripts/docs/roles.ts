import { createRolesSql, prepareDatabaseSql } from "../../src/store/core/roles.ts";

/** SQL that creates the roles, with passwords to fill in. */
export function rolesSql(): string {
  return fenced(createRolesSql({ owner: "<owner>", application: "<application>", worker: "<worker>" }));
}

/** SQL that prepares the database. */
export function databaseSql(): string {
  return fenced(prepareDatabaseSql("policy_guard"));
}

function fenced(sql: string): string {
  return `\`\`\`sql\n${sql}\n\`\`\``;
}
