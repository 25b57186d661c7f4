// The services of this room: alert rules and alerts.

import type { ConnectRouter } from "@connectrpc/connect";
import { AlertService } from "../../../gen/policyguard/control/v1/alert_service_pb.ts";
import { type AlertDomain, alertHandlers } from "./alert.ts";

/** Registers the service. */
export function registerAlertServices(router: ConnectRouter, domain: AlertDomain): void {
  router.service(AlertService, alertHandlers(domain));
}
