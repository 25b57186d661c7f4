// The services of this room: policies and what they refer to (lists, output schemas, backends, detectors, packs).

import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { shippedPacks } from "../analysis/shipped-packs.ts";
import { DetectorCatalog } from "./detector.ts";
import { DetectorBackends } from "./detector-backend.ts";
import { PolicyHistory } from "./history.ts";
import { Lists } from "./list.ts";
import { OutputSchemas } from "./output-schema.ts";
import { PackCatalog } from "./pack.ts";
import { PackApplications } from "./pack-apply.ts";
import { Policies } from "./policy.ts";

/** What the services are built from. */
export interface PolicyParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly analysis: Analysis;
}

/** Builds the services. */
export function createPolicyDomain({ database, clock, analysis }: PolicyParts) {
  const library = shippedPacks();
  const policies = new Policies(database, clock, analysis);
  return {
    policies,
    history: new PolicyHistory(database, { policies, clock, analysis }),
    lists: new Lists(database),
    outputSchemas: new OutputSchemas(database, analysis),
    detectorBackends: new DetectorBackends(database),
    detectors: new DetectorCatalog(database, clock),
    packs: new PackCatalog(library, database, clock),
    packApplications: new PackApplications(library, { database, clock, analysis }),
  };
}
