import type { ServiceImpl } from "@connectrpc/connect";
import type { EventService } from "../../../gen/policyguard/control/v1/event_service_pb.ts";
import type { EventCatalog } from "../../domain/event/catalog.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { eventNumbers } from "./event-name.ts";

/** Handlers of EventService. */
export function eventHandlers(events: EventCatalog): ServiceImpl<typeof EventService> {
  return {
    listEvents: async (request) => {
      const page = pageOf(request);
      const [entries, total] = events.list(page);
      const messages = entries.map(({ name, ...entry }) => ({ ...entry, name: eventNumbers([name])[0] }));
      return { total, ...page, events: messages };
    },
  };
}
