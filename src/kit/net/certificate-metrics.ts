import { X509Certificate } from "node:crypto";
import { Gauge } from "prom-client";
import type { Metrics } from "../observability/metrics.ts";
import type { Certificate } from "./certificate.ts";

/** Registers when the certificate of the port ends; nothing for a port without TLS. */
export function measureCertificate({ registry }: Metrics, certificate: Certificate | undefined): void {
  if (certificate === undefined) return;
  const endsAtMs = endOf(certificate.cert);
  new Gauge({
    name: "certificate_end_timestamp_seconds",
    help: "When the certificate of the port ends, in seconds since 1970.",
    registers: [registry],
  }).set(endsAtMs / 1_000);
}

/** When it ends; of a chain the first, which is that of the port. */
function endOf(chain: string): number {
  try {
    return new X509Certificate(chain).validToDate.getTime();
  } catch (cause) {
    // OpenSSL says what is wrong with a file, not which one it is about.
    throw new Error("TLS_CERTIFICATE_FILE does not begin with a certificate in PEM", { cause });
  }
}
