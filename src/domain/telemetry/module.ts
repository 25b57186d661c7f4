// The services of this room: traces and the log of evidence.

import type { Database } from "../../store/connection/database.ts";
import { Evidence } from "./evidence.ts";
import { Traces } from "./trace.ts";

/** What the services are built from. */
export interface TelemetryParts {
  readonly database: Database;
}

/** Builds the services. */
export function createTelemetryDomain({ database }: TelemetryParts) {
  return { traces: new Traces(database), evidence: new Evidence(database) };
}
