// The variables of OpenTelemetry that every process reads. Their names are OpenTelemetry's own.

import { defineSchema } from "../process/config.ts";

/** Where spans go, and which. */
export const telemetryVariables = defineSchema({
  otlpEndpoint: {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    kind: "url",
    schemes: ["http", "https"],
    description:
      "Collector that spans are sent to, by OTLP over HTTP: `/v1/traces` is added to it. Empty: there are no spans, and nothing of OpenTelemetry is loaded.",
  },
  otlpHeaders: {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    kind: "list",
    secret: true,
    description: "Headers of requests to the collector, such as `authorization=Bearer%20…`; values are URL-encoded.",
  },
  traceRatio: {
    name: "OTEL_TRACES_SAMPLER_ARG",
    kind: "ratio",
    default: "0.01",
    description:
      "Part of the traces that begin here which is recorded. A trace that a caller began is recorded when the caller says so, and not otherwise.",
  },
});
