// The services of this room: the playground.

import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { BillingMode } from "../billing/advice.ts";
import { Playground } from "./playground.ts";

/** What the services are built from. */
export interface PlaygroundParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly analysis: Analysis;
  /** Where a larger plan comes from. */
  readonly billingMode: BillingMode;
}

/** Builds the services. */
export function createPlaygroundDomain({ database, clock, analysis, billingMode: mode }: PlaygroundParts) {
  return { playground: new Playground(database, clock, { analysis, mode }) };
}
