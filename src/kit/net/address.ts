// Where a request came from.

import ipaddr from "ipaddr.js";

/** What is known of the sender. */
export interface PeerFacts {
  /** Address of the other end of the socket. */
  readonly socketAddress: string | undefined;
  /** The X-Forwarded-For header. */
  readonly forwardedFor: string | readonly string[] | undefined;
  /** How many proxies of our own stand before this process. 0: the header is anybody's claim and is ignored. */
  readonly trustedHops: number;
}

/**
 * The address of the peer in canonical form, or "" when there is none. Each trusted proxy appends what it saw, so
 * entries count from the right; entries further left were written by the sender and prove nothing.
 */
export function peerAddress({ socketAddress, forwardedFor, trustedHops }: PeerFacts): string {
  const direct = canonicalAddress(socketAddress ?? "") ?? "";
  if (trustedHops <= 0 || forwardedFor === undefined) return direct;
  const entries = [forwardedFor].flat().join(",").split(",");
  const entry = entries[entries.length - trustedHops];
  return (entry === undefined ? undefined : canonicalAddress(withoutPort(entry.trim()))) ?? direct;
}

/** The address in canonical form, IPv4 in IPv6 as plain IPv4; undefined for text that is no address. */
export function canonicalAddress(text: string): string | undefined {
  // Not isValid(): it takes "1" and "0x7f.1" for addresses too.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return address.kind() === "ipv4" ? address.toString() : withoutZone(address.toString());
}

/** What counts as one peer for limits: an IPv4 address, or the /64 of an IPv6 address, which is one customer's. */
export function peerGroup(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

function withoutPort(entry: string): string {
  const match = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry);
  return match?.[1] ?? match?.[2] ?? entry;
}

function withoutZone(address: string): string {
  return address.split("%", 1)[0] ?? address;
}
