// The public list of the events that webhooks may subscribe to.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Page } from "../../kit/rpc/page.ts";

/** An event: its meaning and its body. */
export interface EventEntry {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (2020-12) of the body. */
  readonly schema: JsonObject;
  readonly example: JsonObject;
}

/** Lists events. */
export class EventCatalog {
  readonly #events: readonly EventEntry[];

  /** `text` is the content of gen/rest/events.json, which is printed from the contracts. */
  constructor(text: string) {
    const events: EventEntry[] = JSON.parse(text);
    this.#events = events;
  }

  /** A page of the events, in the order of the contracts, and their count. */
  list({ limit, offset }: Page): [EventEntry[], number] {
    return [this.#events.slice(offset, offset + limit), this.#events.length];
  }
}
