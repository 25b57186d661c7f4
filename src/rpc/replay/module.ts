// The services of this room: replays of many traces. Replays of one trace are in the room of traces.

import type { ConnectRouter } from "@connectrpc/connect";
import { ReplayService } from "../../../gen/policyguard/control/v1/replay_service_pb.ts";
import type { Replays } from "../../domain/replay/replay.ts";
import { replayHandlers } from "./replay.ts";

/** What the handlers call. */
export interface ReplayDomain {
  readonly replays: Replays;
}

/** Registers the services. */
export function registerReplayServices(router: ConnectRouter, { replays }: ReplayDomain): void {
  router.service(ReplayService, replayHandlers(replays));
}
