// Which network addresses a request on a customer's behalf may reach. Only global unicast ones: everything private,
// local, reserved or translated is refused, after the IANA special-purpose registries (RFC 6890) as ipaddr.js has them,
// with three cases of our own.

import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network in CIDR notation, parsed. */
export interface Network {
  readonly address: Address;
  readonly prefixLength: number;
}

/** The kind of an address: "public", or the name of the range for which it is refused. */
export type AddressKind = string;

/** Azure's host agent: answers every virtual machine, and looks like a public address. */
const azureHost = "168.63.129.16";

/** What kind of address this is. Texts that are no address are "invalid". */
export function addressKind(text: string): AddressKind {
  const address = parseAddress(text);
  if (address === undefined) return "invalid";
  if (address.toString() === azureHost) return "metadata";
  const range: string = address.range();
  // Translated forms reach an IPv4 address behind our back: refused even where that address would be public. ipaddr.js
  // names them ipv4Mapped, rfc6145, rfc6052 (NAT64), 6to4 and teredo; IPv4-compatible ones (::a.b.c.d) fall below.
  if (range !== "unicast") return range;
  // Only 2000::/3 is handed out (RFC 4291 section 2.4); the rest is "unicast" to ipaddr.js.
  if (address instanceof ipaddr.IPv6 && !address.match(globalUnicast)) return "unallocated";
  return "public";
}

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** Parses a list of networks such as "10.0.0.0/8" or "fd00::/8". Throws for any other text. */
export function parseNetworks(list: readonly string[]): Network[] {
  return list.map((text) => {
    if (!text.includes("/") || !ipaddr.isValidCIDR(text)) {
      throw new Error(`"${text}" is not a network in CIDR notation, such as 10.0.0.0/8`);
    }
    const [address, prefixLength] = ipaddr.parseCIDR(text);
    return { address, prefixLength };
  });
}

/** Whether the address lies in one of the networks. A translated form is not the address that it stands for. */
export function isWithin(text: string, networks: readonly Network[]): boolean {
  const address = parseAddress(text);
  return (
    address !== undefined &&
    networks.some(
      (network) => network.address.kind() === address.kind() && address.match(network.address, network.prefixLength),
    )
  );
}

function parseAddress(text: string): Address | undefined {
  // A zone ("fe80::1%eth0") chooses an interface of this machine, which no caller may.
  if (text.includes("%")) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}
