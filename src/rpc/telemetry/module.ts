// The services of this room: traces and the log of evidence.

import type { ConnectRouter } from "@connectrpc/connect";
import { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import type { Evidence } from "../../domain/telemetry/evidence.ts";
import type { Traces } from "../../domain/telemetry/trace.ts";
import { evidenceHandlers } from "./evidence.ts";
import { traceHandlers } from "./trace.ts";

/** What the handlers call. */
export interface TelemetryDomain {
  readonly traces: Traces;
  readonly evidence: Evidence;
}

/** Registers the services. `writeTrace` prints a trace as REST does. */
export function registerTelemetryServices(
  router: ConnectRouter,
  { traces, evidence }: TelemetryDomain,
  { writeTrace }: { readonly writeTrace: Parameters<typeof traceHandlers>[1] },
): void {
  router.service(TraceService, traceHandlers(traces, writeTrace));
  router.service(EvidenceService, evidenceHandlers(evidence));
}
