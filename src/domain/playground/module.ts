// The services of this room: the playground.

import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { Playground } from "./playground.ts";

/** What the services are built from. */
export interface PlaygroundParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly analysis: Analysis;
}

/** Builds the services. */
export function createPlaygroundDomain({ database, clock, analysis }: PlaygroundParts) {
  return { playground: new Playground(database, clock, analysis) };
}
