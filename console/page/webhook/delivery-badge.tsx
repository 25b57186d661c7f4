import { DeliveryState } from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import { Badge } from "../../part/badge.tsx";
import { en } from "../../text/en.ts";

/** The states of deliveries: how addresses of the page spell them, and their colour. */
export const deliveryStates: ReadonlyMap<DeliveryState, readonly [string, "plain" | "good" | "bad"]> = new Map([
  [DeliveryState.PENDING, ["pending", "plain"]],
  [DeliveryState.DELIVERED, ["delivered", "good"]],
  [DeliveryState.DROPPED, ["dropped", "bad"]],
]);

/** How a delivery stands. */
export function DeliveryBadge({ state }: { readonly state: DeliveryState }) {
  const [name, tone] = deliveryStates.get(state) ?? ["", "plain"];
  return <Badge tone={tone}>{en.webhooks.states[name]}</Badge>;
}
