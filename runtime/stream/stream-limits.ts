// Bounds of streams. docs/streaming.md documents them.

/** Bounds of one stream, and of all streams of a process. */
export interface StreamLimits {
  /** Streams open at once. */
  readonly streams: number;
  /** Max text of one stream, in UTF-16 code units: that of a unary request. */
  readonly units: number;
  /** Max text of all open streams together, in UTF-16 code units. */
  readonly allUnits: number;
  /** Max bytes of the arguments of all tool calls of a stream, and max calls. */
  readonly argumentBytes: number;
  readonly calls: number;
  /** A stream without a message for this long is cancelled. */
  readonly idleMs: number;
  /** Max duration of a stream. */
  readonly maxDurationMs: number;
}

/** The bounds of a runtime. */
export const streamLimits: StreamLimits = {
  streams: 10_000,
  units: 1_048_576,
  allUnits: 134_217_728,
  argumentBytes: 1_048_576,
  calls: 128,
  idleMs: 60_000,
  maxDurationMs: 600_000,
};
