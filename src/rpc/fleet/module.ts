// The services of this room: the runtimes of customers and their reports.

import type { ConnectRouter } from "@connectrpc/connect";
import { RuntimeInstanceService } from "../../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { ReportingService } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { RuntimeInstances } from "../../domain/fleet/runtime-instance.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { type ReportingParts, reportingHandlers } from "./reporting.ts";
import { runtimeInstanceHandlers } from "./runtime-instance.ts";

/** What the handlers call. */
export interface FleetDomain extends Omit<ReportingParts, "clock"> {
  readonly runtimes: RuntimeInstances;
}

/** Registers the services. */
export function registerFleetServices(router: ConnectRouter, domain: FleetDomain, { clock }: { clock: Clock }): void {
  router.service(RuntimeInstanceService, runtimeInstanceHandlers(domain.runtimes));
  router.service(ReportingService, reportingHandlers({ ...domain, clock }));
}
