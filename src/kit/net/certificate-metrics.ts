import { X509Certificate } from "node:crypto";
import { Gauge } from "prom-client";
import type { Metrics } from "../observability/metrics.ts";
import type { Certificate } from "./certificate.ts";

/** Registers when the certificate of the port ends; nothing for a port without TLS. */
export function measureCertificate({ registry }: Metrics, certificate: Certificate | undefined): void {
  if (certificate === undefined) return;
  // The first of a chain is that of the port.
  const endsAtMs = new X509Certificate(certificate.cert).validToDate.getTime();
  new Gauge({
    name: "certificate_end_timestamp_seconds",
    help: "When the certificate of the port ends, in seconds since 1970.",
    registers: [registry],
  }).set(endsAtMs / 1_000);
}
