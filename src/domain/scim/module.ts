// The services of this room: what an organization's directory reads and writes by SCIM, and how an admin connects it.

import type { Database } from "../../store/connection/database.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import { CallGate } from "./call-gate.ts";
import { DirectoryTokens } from "./directory-token.ts";
import { GroupMappings } from "./group-mapping.ts";
import { ScimGroups } from "./groups.ts";
import { ScimUsers } from "./users.ts";

/** What the services are built from. */
export interface ScimDomainParts {
  readonly database: Database;
  /** Undefined when mail is not configured. */
  readonly mailer: MailQueue | undefined;
  /** Address of the control plane as others reach it, without a slash at its end. */
  readonly publicUrl: string;
}

/** Builds the services. */
export function createScimDomain({ database, mailer, publicUrl }: ScimDomainParts) {
  const parts = { mailer, publicUrl, gate: new CallGate() };
  return {
    directoryTokens: new DirectoryTokens(database, { publicUrl }),
    groupMappings: new GroupMappings(database),
    scimUsers: new ScimUsers(database, parts),
    scimGroups: new ScimGroups(database, parts),
    scimAddress: publicUrl,
  };
}
