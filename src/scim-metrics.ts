// What Prometheus learns of directories that provision members by SCIM.

import { Counter } from "prom-client";
import { ScimService } from "../gen/policyguard/control/v1/scim_service_pb.ts";
import type { Metrics } from "./kit/observability/metrics.ts";

/** The same metrics, which also count the requests of directories. */
export function withScimRequests({ registry, countCall }: Metrics): Metrics {
  const requests = new Counter({
    name: "scim_requests_total",
    help: "Requests of directories that ended.",
    labelNames: ["operation", "code"],
    registers: [registry],
  });
  return {
    registry,
    countCall(call) {
      countCall(call);
      if (call.service === ScimService.typeName) requests.inc({ operation: call.method, code: call.code });
    },
  };
}
