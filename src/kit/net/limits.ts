// Every limit that a listener enforces, in one place and each on purpose. Node's own defaults are generous for HTTP/1.1
// (five minutes for a request) and absent for HTTP/2.

/** Limits of a listener. */
export interface Limits {
  /** Connections open at once, in all. */
  readonly maxConnections: number;
  /** Connections open at once from one peer: an IPv4 address or an IPv6 /64. */
  readonly maxConnectionsPerPeer: number;
  /** Time for the first bytes to show which protocol is spoken, and for the TLS handshake. */
  readonly sniffTimeoutMs: number;
  readonly http1: Http1Limits;
  readonly http2: Http2Limits;
}

/** Limits of HTTP/1.1 connections. */
export interface Http1Limits {
  /** Time for all headers of a request to arrive. */
  readonly headersTimeoutMs: number;
  /** Time for a whole request to arrive. The answer may take longer. */
  readonly requestTimeoutMs: number;
  /** How long a connection may wait for its next request. */
  readonly keepAliveTimeoutMs: number;
  /** How often the two time limits of requests are looked at. */
  readonly checkingIntervalMs: number;
  readonly maxHeaderSizeBytes: number;
  /** Requests on one connection, after which it closes, so that balancers can spread anew. */
  readonly maxRequestsPerSocket: number;
}

/** Limits of HTTP/2 sessions. */
export interface Http2Limits {
  readonly maxConcurrentStreams: number;
  /** Binds a client once it has acknowledged our SETTINGS; before that nghttp2's own limit of 64 KiB holds. */
  readonly maxHeaderListSizeBytes: number;
  /** Megabytes that one session may hold in buffers. */
  readonly maxSessionMemoryMegabytes: number;
  /** Time for a new session to send SETTINGS and to open its first stream. */
  readonly openingTimeoutMs: number;
  /**
   * Silence after which a session without streams is closed, and one with streams is asked by PING whether it lives.
   */
  readonly idleTimeoutMs: number;
  /** Time to answer that PING. */
  readonly pingTimeoutMs: number;
}

/** The limits that the product serves with. */
export const defaultLimits: Limits = {
  maxConnections: 8_192,
  // Application servers hold pools of a few hundred HTTP/1.1 connections to their runtime.
  maxConnectionsPerPeer: 512,
  sniffTimeoutMs: 5_000,
  http1: {
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 30_000,
    // Above the 60 s of common balancers: the side that forwards has to be the one that closes.
    keepAliveTimeoutMs: 65_000,
    checkingIntervalMs: 1_000,
    maxHeaderSizeBytes: 16_384,
    // Reconnecting once in a thousand requests costs nothing that can be measured.
    maxRequestsPerSocket: 1_000,
  },
  http2: {
    maxConcurrentStreams: 128,
    maxHeaderListSizeBytes: 16_384,
    maxSessionMemoryMegabytes: 10,
    openingTimeoutMs: 5_000,
    idleTimeoutMs: 60_000,
    pingTimeoutMs: 10_000,
  },
};
