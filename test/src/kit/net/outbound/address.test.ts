import { describe, expect, it } from "vitest";
import { addressKind, isWithin, parseNetworks } from "../../../../../src/kit/net/outbound/address.ts";
import { publicAddresses, refusedAddresses } from "./addresses.ts";

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
