// The services of this room: organizations.

import type { Database } from "../../store/connection/database.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import { Organizations } from "./organization.ts";

/** What the services are built from. */
export interface TenancyParts {
  readonly database: Database;
  /** Undefined when mail is not configured. */
  readonly mailer: MailQueue | undefined;
  readonly publicUrl: string;
}

/** Builds the services. */
export function createTenancyDomain({ database, mailer, publicUrl }: TenancyParts) {
  return { organizations: new Organizations(database, mailer && { mailer, publicUrl }) };
}
