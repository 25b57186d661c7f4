// Event names: an enum in messages, the documented spelling in the domain and the store.

import { getOption } from "@bufbuild/protobuf";
import { type EventName, EventNameSchema } from "../../../gen/policyguard/control/v1/event_pb.ts";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";

const named = EventNameSchema.values.filter(({ number }) => number !== 0);
const nameOf = new Map(named.map((value) => [value.number as EventName, getOption(value, wire)]));
const numberOf = new Map([...nameOf].map(([number, name]) => [name, number]));

/** The documented spellings. */
export function eventNames(events: readonly EventName[]): string[] {
  return events.flatMap((event) => nameOf.get(event) ?? []);
}

/** The enum values of documented spellings. */
export function eventNumbers(names: readonly string[]): EventName[] {
  return names.flatMap((name) => numberOf.get(name) ?? []);
}
