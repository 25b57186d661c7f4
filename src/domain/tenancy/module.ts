// The services of this room: organizations.

import type { Database } from "../../store/connection/database.ts";
import { Organizations } from "./organization.ts";

/** What the services are built from. */
export interface TenancyParts {
  readonly database: Database;
}

/** Builds the services. */
export function createTenancyDomain({ database }: TenancyParts) {
  return { organizations: new Organizations(database) };
}
