// The services of this room: traces, their replays, erasures and the log of evidence.

import type { ConnectRouter } from "@connectrpc/connect";
import { ErasureService } from "../../../gen/policyguard/control/v1/erasure_service_pb.ts";
import { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { RetentionService } from "../../../gen/policyguard/control/v1/retention_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import type { TraceReplay } from "../../domain/replay/trace-replay.ts";
import type { Erasures } from "../../domain/telemetry/erasure.ts";
import type { RetentionSettings } from "../../domain/telemetry/retention.ts";
import { erasureHandlers } from "./erasure.ts";
import { type EvidenceDomain, evidenceHandlers } from "./evidence.ts";
import { retentionHandlers } from "./retention.ts";
import { type TraceDomain, traceHandlers } from "./trace.ts";
import { traceReplayHandlers } from "./trace-replay.ts";

/** What the handlers call. */
export interface TelemetryDomain extends TraceDomain, EvidenceDomain {
  readonly erasures: Erasures;
  readonly retention: RetentionSettings;
  readonly traceReplay: TraceReplay;
}

/** Registers the services. `writeTrace` prints a trace as REST does. */
export function registerTelemetryServices(
  router: ConnectRouter,
  { erasures, retention, traceReplay, ...domain }: TelemetryDomain,
  { writeTrace }: { readonly writeTrace: Parameters<typeof traceHandlers>[1] },
): void {
  router.service(TraceService, { ...traceHandlers(domain, writeTrace), ...traceReplayHandlers(traceReplay) });
  router.service(ErasureService, erasureHandlers(erasures));
  router.service(RetentionService, retentionHandlers(retention));
  router.service(EvidenceService, evidenceHandlers(domain));
}
