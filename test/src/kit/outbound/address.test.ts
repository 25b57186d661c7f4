import { describe, expect, it } from "vitest";
import { addressKind, isWithin, parseNetworks } from "../../../../src/kit/outbound/address.ts";

const publicAddresses = [
  "8.8.8.8",
  "1.1.1.1",
  "93.184.216.34",
  "100.63.255.254",
  "100.128.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.167.255.255",
  "192.169.0.1",
  "168.63.129.15",
  "198.17.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "11.0.0.1",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "169.255.0.1",
  "2606:4700:4700::1111",
  "2001:4860:4860::8888",
  "2a00:1450:4001:81b::200e",
];

const refusedAddresses: readonly [string, string][] = [
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["10.0.0.1", "private"],
  ["10.255.255.255", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.0.1", "private"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["169.254.0.1", "linkLocal"],
  ["169.254.169.254", "linkLocal"],
  ["169.254.170.2", "linkLocal"],
  ["168.63.129.16", "metadata"],
  ["100.64.0.1", "carrierGradeNat"],
  ["100.100.100.200", "carrierGradeNat"],
  ["100.127.255.254", "carrierGradeNat"],
  ["192.0.0.1", "reserved"],
  ["192.0.0.192", "reserved"],
  ["192.0.2.1", "reserved"],
  ["192.88.99.1", "reserved"],
  ["198.18.0.1", "reserved"],
  ["198.19.255.255", "reserved"],
  ["198.51.100.1", "reserved"],
  ["203.0.113.1", "reserved"],
  ["192.31.196.1", "as112"],
  ["192.52.193.1", "amt"],
  ["192.175.48.1", "as112"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.255", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["::127.0.0.1", "ipv4Mapped"],
  ["::7f00:1", "unallocated"],
  ["::ffff:127.0.0.1", "ipv4Mapped"],
  ["::ffff:7f00:1", "ipv4Mapped"],
  ["::ffff:169.254.169.254", "ipv4Mapped"],
  ["::ffff:8.8.8.8", "ipv4Mapped"],
  ["::ffff:0:127.0.0.1", "rfc6145"],
  ["64:ff9b::7f00:1", "rfc6052"],
  ["64:ff9b::169.254.169.254", "rfc6052"],
  ["64:ff9b::8.8.8.8", "rfc6052"],
  ["64:ff9b:1::10.0.0.1", "rfc6052"],
  ["2002:7f00:1::", "6to4"],
  ["2002:a9fe:a9fe::1", "6to4"],
  ["2002:808:808::1", "6to4"],
  ["2001::1", "teredo"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "teredo"],
  ["2001:2::1", "benchmarking"],
  ["2001:10::1", "deprecatedOrchid"],
  ["2001:20::1", "orchid2"],
  ["2001:db8::1", "reserved"],
  ["3fff::1", "reserved"],
  ["fe80::1", "linkLocal"],
  ["febf::1", "linkLocal"],
  ["fec0::1", "deprecatedSiteLocal"],
  ["fc00::1", "uniqueLocal"],
  ["fd00:ec2::254", "uniqueLocal"],
  ["fdff:ffff::1", "uniqueLocal"],
  ["ff02::1", "multicast"],
  ["ff0e::1", "multicast"],
  ["100::1", "discard"],
  ["5f00::1", "segmentRouting"],
  ["4000::1", "unallocated"],
  ["1000::1", "unallocated"],
  ["fe80::1%eth0", "invalid"],
  ["2606:4700::1%1", "invalid"],
  ["127.1", "invalid"],
  ["2130706433", "invalid"],
  ["0x7f.1", "invalid"],
  ["010.0.0.1", "invalid"],
  ["", "invalid"],
  ["example.com", "invalid"],
];

describe("kinds of addresses", () => {
  it.each(publicAddresses)("%s is public", (address) => {
    expect(addressKind(address)).toBe("public");
  });

  it.each(refusedAddresses)("%s is refused as %s", (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });
});

describe("allowed networks", () => {
  const networks = parseNetworks(["127.0.0.0/8", "10.1.0.0/16", "fd00::/8"]);

  it.each(["127.0.0.1", "127.255.0.1", "10.1.2.3", "fd12::1"])("hold %s", (address) => {
    expect(isWithin(address, networks)).toBe(true);
  });

  it.each(["128.0.0.1", "10.2.0.1", "fc00::1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "::127.0.0.1", "x"])(
    "do not hold %s",
    (address) => {
      expect(isWithin(address, networks)).toBe(false);
    },
  );

  it.each(["127.0.0.1", "10.0.0.0/33", "10.0.0.0/-1", "localhost/8", "", "10.0.0.0/8/8", "10.0.0/8x"])(
    "cannot be given as %j",
    (text) => {
      expect(() => parseNetworks([text])).toThrow("CIDR notation");
    },
  );
});
