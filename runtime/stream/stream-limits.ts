// Bounds of streams. docs/streaming.md tells them.

/** What one stream, and all streams of a process, may take. */
export interface StreamLimits {
  /** Streams open at once. */
  readonly streams: number;
  /** Code units of text of one stream: those of a unary request. */
  readonly units: number;
  /** Code units of all open streams together. */
  readonly allUnits: number;
  /** Bytes of arguments of all tool calls of a stream, and how many calls. */
  readonly argumentBytes: number;
  readonly calls: number;
  /** Time without a message after which a stream is cancelled. */
  readonly idleMs: number;
  /** Time that a stream may take. */
  readonly longestMs: number;
}

/** The bounds of a runtime. */
export const streamLimits: StreamLimits = {
  streams: 10_000,
  units: 1_048_576,
  allUnits: 134_217_728,
  argumentBytes: 1_048_576,
  calls: 128,
  idleMs: 60_000,
  longestMs: 600_000,
};
