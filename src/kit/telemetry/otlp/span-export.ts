// Spans by OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/), with OpenTelemetry's own SDK. The only file that
// imports it; telemetry.ts loads it where there is a collector. Ids and the choice of traces come from tracing.ts, so
// the SDK sees chosen spans only, when they have ended.

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace as traces } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Logger } from "../../observability/log.ts";
import type { FinishedSpan, TraceContext } from "../../observability/tracing.ts";
import { newId } from "../../process/id.ts";

/** Where spans go, and whose they are. */
export interface SpanExportOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: { readonly name: string; readonly version: string };
  readonly log: Logger;
  /** Called for each batch. */
  readonly count: (result: "sent" | "failed", spans: number) => void;
}

/** Spans that wait at most; further ones are dropped while the collector is slow. */
const maxWaiting = 2_048;
const batch = 512;
/** A flush sends all that wait at once, beside a batch that is on its way. */
const requestsAtOnce = maxWaiting / batch + 1;
const everyMs = 5_000;
/** At most one line about a collector that fails in this time. */
const quietMs = 60_000;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** Sends spans to a collector, in batches. */
export class SpanExport {
  readonly #provider: TracerProvider;
  /** The ids of the span that is being handed over. */
  #ids: TraceContext = { traceId: "", spanId: "", isSampled: true };

  constructor({ url, headers, service, log, count }: SpanExportOptions) {
    const exporter = watched(
      new OTLPTraceExporter({ url, headers: { ...headers }, concurrencyLimit: requestsAtOnce }),
      log,
      count,
    );
    this.#provider = new TracerProvider({
      sampler: new AlwaysOnSampler(),
      idGenerator: { generateTraceId: () => this.#ids.traceId, generateSpanId: () => this.#ids.spanId },
      resource: resourceFromAttributes({
        "service.name": service.name,
        "service.version": service.version,
        "service.instance.id": newId(),
      }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter,
          maxQueueSize: maxWaiting,
          maxExportBatchSize: batch,
          scheduledDelayMillis: everyMs,
        }),
      ],
    });
  }

  /** Hands over a span, which is sent with others within some seconds. */
  record({ name, kind, trace, startedAtMs, endedAtMs, attributes, events, cause, failure }: FinishedSpan): void {
    this.#ids = trace;
    const { traceId, parentSpanId } = trace;
    const parent =
      parentSpanId === undefined ? undefined : { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED };
    const context = parent === undefined ? ROOT_CONTEXT : traces.setSpanContext(ROOT_CONTEXT, parent);
    const links = cause === undefined ? [] : [{ context: { ...cause, traceFlags: TraceFlags.SAMPLED } }];
    const options = { kind: kinds[kind], startTime: timeOf(startedAtMs), attributes: { ...attributes }, links };
    const span = this.#provider.getTracer("policy-guard").startSpan(name, options, context);
    for (const event of events) span.addEvent(event.name, { ...event.attributes }, timeOf(event.atMs));
    if (failure !== undefined) {
      span.setAttribute("error.type", failure);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(timeOf(endedAtMs));
  }

  /** Sends what waits. A collector that does not take it has been logged, and is no failure of this process. */
  flush(): Promise<void> {
    return this.#provider.forceFlush().catch(() => undefined);
  }

  /** Sends what waits, and ends. */
  close(): Promise<void> {
    return this.#provider.shutdown().catch(() => undefined);
  }
}

/** The moment in milliseconds since 1970. */
function timeOf(ms: number): number {
  return performance.timeOrigin + ms;
}

/** The same exporter, whose batches are counted and whose failures are logged now and then. */
function watched(exporter: SpanExporter, log: Logger, count: SpanExportOptions["count"]): SpanExporter {
  let quietUntilMs = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        count(result.code === 0 ? "sent" : "failed", spans.length);
        if (result.code !== 0 && performance.now() >= quietUntilMs) {
          quietUntilMs = performance.now() + quietMs;
          log.warn({ err: result.error, spans: spans.length }, "the collector did not take spans");
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
