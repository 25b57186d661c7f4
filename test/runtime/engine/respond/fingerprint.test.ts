import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fingerprints } from "../../../../runtime/engine/respond/fingerprint.ts";

describe("a fingerprint", () => {
  it("is the beginning of the HMAC-SHA256 of the text, whatever the length of the key", () => {
    const key = fc.uint8Array({ minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(key, fc.array(fc.string({ unit: "binary" }), { maxLength: 4 }), (bytes, texts) => {
        const fingerprints = new Fingerprints(bytes);
        for (const text of texts) {
          const expected = createHmac("sha256", bytes).update(text, "utf8").digest("hex").slice(0, 32);
          expect(fingerprints.of(text)).toBe(`hmac:${expected}`);
        }
      }),
      { numRuns: 1000, seed: 1 },
    );
  });
});
