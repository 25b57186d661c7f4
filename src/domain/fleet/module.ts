// The services of this room: the runtimes of customers, their enrolment and their reports.

import type { Logger } from "../../kit/observability/log.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { SigningKeys } from "../bundle/signing-keys.ts";
import { Witnesses } from "../telemetry/witness.ts";
import { Enrolment } from "./enrolment.ts";
import { Fleet } from "./fleet.ts";
import { Ingest, type IngestResult } from "./ingest.ts";
import { RuntimeInstances } from "./runtime-instance.ts";

/** What the services are built from. */
export interface FleetParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly log: Logger;
  readonly keys: SigningKeys;
  /** Called with the counts of each batch of evaluations. */
  readonly onIngest: (result: IngestResult) => void;
}

/** Builds the services. */
export function createFleetDomain({ database, sealer, log, keys, onIngest }: FleetParts) {
  return {
    runtimes: new RuntimeInstances(database),
    enrolment: new Enrolment({ database, sealer, publishedKeys: (orgId) => keys.published(orgId) }),
    ingest: new Ingest(database, { sealer, onResult: onIngest }),
    fleet: new Fleet({ database, log }),
    witnesses: new Witnesses({ database, keys, log }),
  };
}
