// A collector of OpenTelemetry: takes spans by OTLP over HTTP, in JSON, and keeps every byte that came.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as it came. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 for a span that failed. */
  readonly status: number;
  readonly durationMs: number;
}

/** A running collector. */
export interface SpanCollector {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT names. */
  readonly url: string;
  /** Requests as they came: first line, headers and body. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** All spans so far. */
  spans(): CollectedSpan[];
  /** The status to answer with from now on. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

/** Starts a collector. */
export async function startSpanCollector(): Promise<SpanCollector> {
  const requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString("utf8");
    requests.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listens on TCP
    requests,
    spans: () => requests.flatMap(({ body }) => spansOf(JSON.parse(body))),
    answerWith(next) {
      status = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of a format that is not ours.
function spansOf(body: any): CollectedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: the same.
    scopeSpans.flatMap(({ spans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: the same.
      spans.map((span: any) => ({
        service: String(valuesOf(resource.attributes)["service.name"]),
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        attributes: valuesOf(span.attributes),
        // biome-ignore lint/suspicious/noExplicitAny: the same.
        events: (span.events ?? []).map((event: any) => event.name),
        links: span.links ?? [],
        status: span.status?.code ?? 0,
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
      })),
    ),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: the same.
function valuesOf(attributes: any): Record<string, unknown> {
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  return Object.fromEntries((attributes ?? []).map(({ key, value }: any) => [key, Object.values(value)[0]]));
}
