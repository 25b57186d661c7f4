// The guard against server-side request forgery: decides whether a URL that a customer gave may be reached, and by
// which addresses. It is asked when a URL is stored and again for every connection, which then goes to an address that
// it has just checked: a name that resolves differently in between gains nothing.

import { isIP } from "node:net";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, validationFailed } from "../../fault/fault.ts";
import { type AddressKind, addressKind, isWithin, type Network, parseNetworks } from "./address.ts";
import { createResolve, type Resolve } from "./resolve.ts";

/** What a guard works with. */
export interface NetworkGuardOptions {
  /** POLICY_GUARD_ALLOW_NETWORKS: networks (CIDR) that may be reached though they are not public. */
  readonly allowNetworks: readonly string[];
  /** POLICY_GUARD_DNS_SERVERS: the DNS servers to ask; when empty, the system resolves names. */
  readonly dnsServers: readonly string[];
}

/** A URL that may be reached. */
export interface CheckedTarget {
  readonly url: URL;
  /** The addresses that it may be reached by, in order of preference. Never empty. */
  readonly addresses: readonly string[];
}

/** Decides which URLs may be reached. */
export interface NetworkGuard {
  /**
   * Checks a URL. Throws a Fault: ADDRESS_REFUSED for a target that is not public or does not resolve,
   * VALIDATION_FAILED for a URL that is not well-formed, not https, or carries credentials; `field` names it there.
   */
  check(url: string, options?: { readonly field?: string }): Promise<CheckedTarget>;
}

const dnsTimeoutMs = 3000;
const maxUrlLength = 2048;
const localNames = /(?:^|\.)(?:localhost|local|internal)$/;
const loopbackName = /(?:^|\.)localhost$/;
const loopback = ["127.0.0.1", "::1"];

/** A guard that lets through public addresses and those in the allowed networks. Throws for networks it cannot read. */
export function createNetworkGuard({ allowNetworks, dnsServers }: NetworkGuardOptions): NetworkGuard {
  const allowed = parseNetworks(allowNetworks);
  const resolve = createResolve({ dnsServers, timeoutMs: dnsTimeoutMs });
  return {
    async check(text, { field = "url" } = {}) {
      const url = parseUrl(text, field);
      const addresses = await acceptedAddresses(hostnameOf(url), allowed, resolve);
      const isAllowed = addresses.every((address) => isWithin(address, allowed));
      assertScheme(url, { isAllowed, field });
      return { url, addresses };
    },
  };
}

function parseUrl(text: string, field: string): URL {
  if (text.length > maxUrlLength) throw invalid(field, `must have at most ${maxUrlLength} characters`);
  const url = URL.parse(text);
  if (url === null || url.hostname === "")
    throw invalid(field, "must be an absolute URL such as https://example.com/path");
  if (url.port === "0") throw invalid(field, "must not name port 0");
  return url;
}

/** The host as a connection would read it. URLs of other schemes leave it as it was written: 127.1, 0x7f000001, … */
function hostnameOf(url: URL): string {
  return (isHttp(url) ? url : URL.parse(`http://${url.host}`))?.hostname ?? "";
}

function assertScheme(url: URL, { isAllowed, field }: { isAllowed: boolean; field: string }): void {
  if (!isHttp(url)) throw invalid(field, "must begin with https://");
  if (url.username !== "" || url.password !== "") throw invalid(field, "must not carry a user name or password");
  if (url.protocol === "http:" && !isAllowed)
    throw invalid(field, "must begin with https://: a public target is reached by TLS only");
}

function isHttp({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}

/** The addresses of a host. Throws unless every one of them may be reached: a mixed answer is a trick or a mistake. */
async function acceptedAddresses(hostname: string, allowed: readonly Network[], resolve: Resolve): Promise<string[]> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (isIP(host) !== 0) {
    assertAccepted(host, [host], allowed);
    return [host];
  }
  if (loopbackName.test(host)) {
    // RFC 6761 section 6.3: this name is never looked up. It has two addresses; an operator may allow just one.
    const reachable = loopback.filter((address) => isWithin(address, allowed));
    if (reachable.length === 0) throw refused(host, "it is this machine");
    return reachable;
  }
  const addresses = await resolveAll(host, resolve);
  assertAccepted(host, addresses, allowed);
  if (localNames.test(host) && !addresses.every((address) => isWithin(address, allowed))) {
    throw refused(host, "it is a name for use within a network");
  }
  return addresses;
}

async function resolveAll(host: string, resolve: Resolve): Promise<string[]> {
  let addresses: string[];
  try {
    addresses = await resolve(host);
  } catch (cause) {
    throw refused(host, "its name could not be resolved", cause);
  }
  if (addresses.length === 0) throw refused(host, "its name has no address");
  return addresses;
}

function assertAccepted(host: string, addresses: readonly string[], allowed: readonly Network[]): void {
  for (const address of addresses) {
    const kind = addressKind(address);
    if (kind === "public" || isWithin(address, allowed)) continue;
    // The address itself stays out of the message: what a name resolves to inside this network is nobody's business.
    throw refused(
      host,
      `${host === address ? "it" : "its name"} stands for an address that is not public (${spoken(kind)})`,
    );
  }
}

function spoken(kind: AddressKind): string {
  return kind.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

function refused(host: string, why: string, cause?: unknown): Fault {
  const message = `${host} cannot be reached from here: ${why}`;
  return new Fault(Reason.ADDRESS_REFUSED, message, cause === undefined ? {} : { cause });
}

function invalid(field: string, message: string): Fault {
  return validationFailed([{ field, message }]);
}
