import { expect, test } from "vitest";
import { measureCertificate } from "../../../../src/kit/net/certificate-metrics.ts";
import { createMetrics } from "../../../../src/kit/observability/metrics.ts";

test("a file that is no certificate is refused with the name of its setting", () => {
  expect(() => measureCertificate(createMetrics(), { cert: "nothing", key: "nothing" })).toThrow(
    "TLS_CERTIFICATE_FILE does not begin with a certificate in PEM",
  );
});
