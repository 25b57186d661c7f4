// The services of this room: replays of one trace, and of many.

import { type ReplayParts, Replays } from "./replay.ts";
import { TraceReplay, type TraceReplayParts } from "./trace-replay.ts";

/** Builds the services. */
export function createReplayDomain(parts: ReplayParts & TraceReplayParts) {
  return { traceReplay: new TraceReplay(parts), replays: new Replays(parts) };
}
