import { type EventName, EventNameSchema } from "../../gen/policyguard/control/v1/event_pb.ts";
import { wireNames } from "./wire-name.ts";

/** The events that webhooks subscribe to, and their names, such as "bundle.activated". */
export const eventNames = wireNames<EventName>(EventNameSchema);
