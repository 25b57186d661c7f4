import { expect, test } from "vitest";
import { certificateOf } from "../../../../src/kit/net/certificate.ts";

test("half of TLS is refused, with the variable that is missing", () => {
  expect(certificateOf({})).toBeUndefined();
  expect(certificateOf({ tlsCertificate: "a", tlsKey: "b" })).toEqual({ cert: "a", key: "b" });
  expect(() => certificateOf({ tlsCertificate: "a" })).toThrow("TLS_CERTIFICATE_FILE is set without TLS_KEY_FILE");
  expect(() => certificateOf({ tlsKey: "b" })).toThrow("TLS_KEY_FILE is set without TLS_CERTIFICATE_FILE");
});
