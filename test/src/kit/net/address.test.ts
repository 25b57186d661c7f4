import { expect, test } from "vitest";
import { canonicalAddress, peerAddress, peerGroup } from "../../../../src/kit/net/address.ts";

test("without trusted proxies the header is ignored", () => {
  expect(peerAddress({ socketAddress: "203.0.113.9", forwardedFor: "198.51.100.1", trustedHops: 0 })).toBe(
    "203.0.113.9",
  );
});

test.each([
  [1, "203.0.113.2"],
  [2, "203.0.113.1"],
  [3, "10.0.0.7"],
])("with %i trusted hops the entry counts from the right", (trustedHops, expected) => {
  const facts = { socketAddress: "10.0.0.7", forwardedFor: ["6.6.6.6 evil", "203.0.113.1, 203.0.113.2"], trustedHops };
  expect(peerAddress(facts)).toBe(expected);
});

test("a header with fewer entries than trusted hops proves nothing", () => {
  expect(peerAddress({ socketAddress: "10.0.0.7", forwardedFor: "203.0.113.1", trustedHops: 2 })).toBe("10.0.0.7");
});

test.each([
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["192.0.2.1", "192.0.2.1"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
])("%s is written %s", (text, expected) => {
  expect(canonicalAddress(text)).toBe(expected);
});

test.each(["", "1", "0x7f.1", "127.1", "localhost", "1.2.3.4.5", "017.0.0.1"])("%j is no address", (text) => {
  expect(canonicalAddress(text)).toBeUndefined();
});

test.each([
  ["203.0.113.1:4711", "203.0.113.1"],
  ["[2001:db8::1]:4711", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
])("a forwarded %s is understood without its port", (entry, expected) => {
  expect(peerAddress({ socketAddress: "10.0.0.7", forwardedFor: entry, trustedHops: 1 })).toBe(expected);
});

test("addresses of one IPv6 /64 are one peer", () => {
  expect(peerGroup("2001:db8::1")).toBe(peerGroup("2001:db8::ffff:2"));
  expect(peerGroup("2001:db8:0:1::1")).not.toBe(peerGroup("2001:db8::1"));
  expect(peerGroup("192.0.2.1")).toBe("192.0.2.1");
});
