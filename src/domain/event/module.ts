// The services of this room: the catalog of events.

import { EventCatalog } from "./catalog.ts";

/** What the services are built from. */
export interface EventParts {
  /** The catalog as the generator prints it: JSON. */
  readonly eventCatalog: string;
}

/** Builds the services. */
export function createEventDomain({ eventCatalog }: EventParts) {
  return { events: new EventCatalog(eventCatalog) };
}
