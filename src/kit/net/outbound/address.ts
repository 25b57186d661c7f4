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

/** Link-local networks, and the addresses elsewhere at which clouds answer their virtual machines with credentials. */
const hostNetworks = parseNetworks([
  "169.254.0.0/16",
  "fe80::/10",
  `${azureHost}/32`,
  // Alibaba Cloud, Oracle Cloud, and EC2 and Google Cloud over IPv6.
  "100.100.100.200/32",
  "192.0.0.192/32",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
]);

/** Whether the address is link-local or a cloud's metadata service, in a translated form as well. */
export function isLinkLocalOrMetadata(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  const within = (candidate: Address) => isWithin(candidate.toString(), hostNetworks);
  return within(address) || (address instanceof ipaddr.IPv6 && translatedFrom(address).some(within));
}

/** The IPv4 addresses that an IPv6 address may stand for: by its last four bytes, in 6to4, in Teredo. */
function translatedFrom(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const last = bytes.slice(12);
  switch (address.range()) {
    case "ipv4Mapped":
    case "rfc6145":
    case "rfc6052":
      return [new ipaddr.IPv4(last)];
    case "6to4":
      return [new ipaddr.IPv4(bytes.slice(2, 6))];
    case "teredo":
      return [new ipaddr.IPv4(bytes.slice(4, 8)), new ipaddr.IPv4(last.map((byte) => byte ^ 0xff))];
    default:
      return bytes.slice(0, 12).every((byte) => byte === 0) ? [new ipaddr.IPv4(last)] : [];
  }
}

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
