// The connection URLs of a database on a server of this machine.

import { applicationRole, type LoginPasswords, ownerRole, workerRole } from "../../src/store/core/roles.ts";

/** The URLs that the processes are configured with. */
export interface DatabaseUrls {
  /** DATABASE_URL */
  readonly applicationUrl: string;
  /** DATABASE_MIGRATION_URL */
  readonly migrationUrl: string;
  /** DATABASE_WORKER_URL */
  readonly workerUrl: string;
}

/** One URL for each role that logs in. */
export function databaseUrls(port: number, database: string, passwords: LoginPasswords): DatabaseUrls {
  return {
    applicationUrl: postgresUrl(port, database, applicationRole, passwords.application),
    migrationUrl: postgresUrl(port, database, ownerRole, passwords.owner),
    workerUrl: postgresUrl(port, database, workerRole, passwords.worker),
  };
}

/** The URL of a database for one role. The password is one of ours: random base64url, nothing to escape. */
export function postgresUrl(port: number, database: string, role: string, password: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}
