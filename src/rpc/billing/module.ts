// The services of this room: plans, usage and invoices.

import type { ConnectRouter } from "@connectrpc/connect";
import { BillingService } from "../../../gen/policyguard/control/v1/billing_service_pb.ts";
import { type BillingDomain, billingHandlers } from "./billing.ts";

/** Registers the services. */
export function registerBillingServices(router: ConnectRouter, domain: BillingDomain): void {
  router.service(BillingService, billingHandlers(domain));
}
