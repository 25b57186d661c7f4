import fc from "fast-check";
import { expect, test } from "vitest";
import { protocolOf } from "../../../../src/kit/net/sniff.ts";

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

test("no decision is made while the bytes can still be both", () => {
  for (let length = 0; length < preface.length; length++) {
    expect(protocolOf(Buffer.from(preface.slice(0, length))), `${length} bytes`).toBeUndefined();
  }
  expect(protocolOf(Buffer.from(preface))).toBe("http2");
  expect(protocolOf(Buffer.from(`${preface}more`))).toBe("http2");
});

test.each(["POST", "PUT", "PATCH", "PRI", "GET", "DELETE"])("%s is HTTP/1.1 as soon as it differs", (method) => {
  const request = `${method} / HTTP/1.1\r\n`;
  const decided = Array.from(request, (_, i) => protocolOf(Buffer.from(request.slice(0, i + 1))));
  expect(decided.find((protocol) => protocol !== undefined)).toBe("http1");
  expect(decided.filter((protocol) => protocol === "http2")).toEqual([]);
});

test("bytes that differ from the preface are HTTP/1.1 once they are long enough", () => {
  const bytes = fc.uint8Array({ minLength: 24, maxLength: 40 }).map((array) => Buffer.from(array));
  const near = fc.tuple(fc.nat(preface.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, change]) => {
    const changed = Buffer.from(preface);
    changed[at] = (changed[at] ?? 0) ^ change;
    return changed;
  });
  fc.assert(
    fc.property(fc.oneof(bytes, near), (input) => {
      const expected = input.toString("latin1").startsWith(preface) ? "http2" : "http1";
      return protocolOf(input) === expected;
    }),
    { numRuns: 2_000, seed: 9113 },
  );
});
