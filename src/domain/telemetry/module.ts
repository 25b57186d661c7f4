// The services of this room: traces, erasures and the log of evidence.

import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { PartitionLength } from "../../store/telemetry/trace-partition.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { TraceAnalytics } from "./analytics.ts";
import { Erasures } from "./erasure.ts";
import { Evidence } from "./evidence.ts";
import { EvidenceExports } from "./evidence-export.ts";
import { EvidenceLog } from "./evidence-log.ts";
import type { LogKeys } from "./log-key.ts";
import { RetentionSettings } from "./retention.ts";
import { Traces } from "./trace.ts";

/** What the services are built from. */
export interface TelemetryParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly analysis: Analysis;
  readonly tracePartition: PartitionLength;
  readonly keys: LogKeys;
}

/** Builds the services. */
export function createTelemetryDomain({ database, sealer, analysis, tracePartition, keys }: TelemetryParts) {
  return {
    traces: new Traces({ database, sealer, analysis }),
    traceAnalytics: new TraceAnalytics(database),
    erasures: new Erasures(database, sealer),
    retention: new RetentionSettings(database, { partition: tracePartition }),
    evidence: new Evidence(database),
    evidenceLog: new EvidenceLog(database, keys),
    evidenceExports: new EvidenceExports(database, keys),
  };
}
