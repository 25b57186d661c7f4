// The services of this room: the catalog of events.

import type { ConnectRouter } from "@connectrpc/connect";
import { EventService } from "../../../gen/policyguard/control/v1/event_service_pb.ts";
import type { EventCatalog } from "../../domain/event/catalog.ts";
import { eventHandlers } from "./event.ts";

/** What the handlers call. */
export interface EventDomain {
  readonly events: EventCatalog;
}

/** Registers the services. */
export function registerEventServices(router: ConnectRouter, { events }: EventDomain): void {
  router.service(EventService, eventHandlers(events));
}
