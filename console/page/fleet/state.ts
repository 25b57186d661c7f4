import { type RuntimeInstance, RuntimeState } from "../../../gen/policyguard/control/v1/runtime_instance_pb.ts";

/** How a runtime stands, as people count it: one that nobody hears from is silent, whatever it said last. */
export type FleetState = "active" | "behind" | "rejected" | "silent";

/** The states, the worst last. */
export const fleetStates: readonly FleetState[] = ["active", "behind", "rejected", "silent"];

const names: Readonly<Record<RuntimeState, FleetState>> = {
  [RuntimeState.UNSPECIFIED]: "behind",
  [RuntimeState.ACTIVE]: "active",
  [RuntimeState.BEHIND]: "behind",
  [RuntimeState.REJECTED]: "rejected",
};

/** The state of a runtime. */
export function fleetState({ connected, state }: Pick<RuntimeInstance, "connected" | "state">): FleetState {
  return connected ? (names[state] ?? "behind") : "silent";
}

/** The runtimes of a state as a call asks for them; of none, all of them. */
export function stateRequest(state: FleetState | undefined) {
  switch (state) {
    case undefined:
      return {};
    case "active":
      return { connected: true, state: RuntimeState.ACTIVE };
    case "behind":
      return { connected: true, state: RuntimeState.BEHIND };
    case "rejected":
      return { connected: true, state: RuntimeState.REJECTED };
    case "silent":
      return { connected: false };
  }
}
