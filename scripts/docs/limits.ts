import { maxJsonDepth } from "../../gateway/json/parse.ts";
import { callLimits as runtimeLimits } from "../../runtime/config.ts";
import { callLimits as controlLimits } from "../../src/config.ts";
import { defaultLimits } from "../../src/kit/net/limits.ts";
import { table } from "./table.ts";

/** Limits of one call, for both processes. */
export function callLimitTable(): string {
  const row = (what: string, read: (limits: typeof controlLimits | typeof runtimeLimits) => string) => [
    what,
    read(controlLimits),
    read(runtimeLimits),
  ];
  return table(
    ["limit", "control plane", "runtime"],
    [
      row("body of a request", ({ maxBodyBytes }) => bytes(maxBodyBytes)),
      row("time of a call", ({ timeoutMs }) => time(timeoutMs)),
      row("time of a streamed download", ({ streamTimeoutMs }) => time(streamTimeoutMs)),
      row("nesting of a JSON body", () => `${maxJsonDepth} levels`),
    ],
  );
}

/** Limits of a listening port. */
export function connectionLimitTable(): string {
  const { http1, http2, ...all } = defaultLimits;
  return table(
    ["limit", "value"],
    [
      ["connections in all", String(all.maxConnections)],
      ["connections from one peer (an IPv4 address or an IPv6 /64)", String(all.maxConnectionsPerPeer)],
      ["time to show the protocol, and for the TLS handshake", time(all.sniffTimeoutMs)],
      ["HTTP/1.1: size of the headers", bytes(http1.maxHeaderSizeBytes)],
      ["HTTP/1.1: time for the headers to arrive", time(http1.headersTimeoutMs)],
      [
        "HTTP/1.1: time for the whole request to arrive (streams have [their own](streaming.md#bounds))",
        time(http1.requestTimeoutMs),
      ],
      ["HTTP/1.1: time that an idle connection is kept", time(http1.keepAliveTimeoutMs)],
      ["HTTP/1.1: requests on one connection", String(http1.maxRequestsPerSocket)],
      ["HTTP/2: streams at once on one connection", String(http2.maxConcurrentStreams)],
      ["HTTP/2: size of the headers", bytes(http2.maxHeaderListSizeBytes)],
      ["HTTP/2: time for the first stream to open", time(http2.openingTimeoutMs)],
      ["HTTP/2: silence after which a connection without streams is closed", time(http2.idleTimeoutMs)],
    ],
  );
}

function bytes(count: number): string {
  return count >= 2 ** 20 ? `${count / 2 ** 20} MiB` : `${count / 2 ** 10} KiB`;
}

function time(ms: number): string {
  return ms >= 120_000 ? `${ms / 60_000} min` : `${ms / 1_000} s`;
}
