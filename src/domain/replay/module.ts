// The services of this room: replays of traces.

import { TraceReplay, type TraceReplayParts } from "./trace-replay.ts";

/** Builds the services. */
export function createReplayDomain(parts: TraceReplayParts) {
  return { traceReplay: new TraceReplay(parts) };
}
