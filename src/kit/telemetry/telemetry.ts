// Sends spans to the collector that the operator named. Without one, nothing of OpenTelemetry is loaded.

import { Counter } from "prom-client";
import type { Logger } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import { recordSpans } from "../observability/tracing.ts";
import type { Config } from "../process/config.ts";
import type { ShutdownStep } from "../process/shutdown.ts";
import type { telemetryVariables } from "./telemetry-variables.ts";

/** What the export of spans needs. */
export interface TelemetryParts {
  /** Name of the process, such as "runtime". */
  readonly name: string;
  readonly version: string;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, "registry">;
}

/** An export that runs. */
export interface Telemetry {
  /** Sends what waits. */
  flush(): Promise<void>;
  readonly shutdownSteps: readonly ShutdownStep[];
}

/** Starts to record and to send spans, where the operator named a collector. */
export async function startTelemetry(
  { otlpEndpoint, otlpHeaders, traceRatio }: Config<typeof telemetryVariables>,
  { name, version, log, metrics }: TelemetryParts,
): Promise<Telemetry> {
  if (otlpEndpoint === undefined) return { flush: async () => {}, shutdownSteps: [] };
  const headers = readHeaders(otlpHeaders ?? []);
  const url = `${otlpEndpoint.replace(/\/+$/, "")}/v1/traces`;
  const count = countSpans(metrics);
  const { SpanExport } = await import("./otlp/span-export.ts");
  const spans = new SpanExport({ url, headers, service: { name: `policy-guard-${name}`, version }, log, count });
  recordSpans({ ratio: traceRatio, record: (span) => spans.record(span) });
  const end = () => {
    recordSpans(undefined);
    return spans.close();
  };
  return { flush: () => spans.flush(), shutdownSteps: [{ name: "spans", timeoutMs: 2_000, run: end }] };
}

function countSpans({ registry }: TelemetryParts["metrics"]): (result: "sent" | "failed", spans: number) => void {
  const total = new Counter({
    name: "spans_total",
    help: "Spans by whether the collector took them.",
    labelNames: ["result"],
    registers: [registry],
  });
  return (result, spans) => total.inc({ result }, spans);
}

function readHeaders(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(entries.map(readHeader));
}

function readHeader(entry: string): [string, string] {
  const at = entry.indexOf("=");
  const name = entry.slice(0, at).trim().toLowerCase();
  try {
    const value = decodeURIComponent(entry.slice(at + 1).trim());
    // Makes sure that the header can be sent at all.
    new Headers().set(name, value);
    return [name, value];
  } catch {
    throw new Error(
      "OTEL_EXPORTER_OTLP_HEADERS: expected name=value, several separated by commas, with values that are URL-encoded",
    );
  }
}
