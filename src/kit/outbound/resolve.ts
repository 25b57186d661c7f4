// Names to addresses, within a time limit.

import { promises as dns } from "node:dns";

/** All addresses of a name, IPv4 before IPv6; empty when it has none. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Resolves names by these DNS servers ("address" or "address:port"); without any, by the system: getaddrinfo, which also
 * reads the hosts file and knows search domains. Rejects when there is no answer within the limit.
 */
export function createResolve({
  dnsServers,
  timeoutMs,
}: {
  dnsServers: readonly string[];
  timeoutMs: number;
}): Resolve {
  if (dnsServers.length === 0) return (name) => within(timeoutMs, bySystem(name));
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  resolver.setServers(dnsServers);
  return (name) => within(timeoutMs, byServers(resolver, name));
}

/** The texts of a name's TXT records, each put together from its parts; empty when it has none. */
export type ResolveText = (name: string) => Promise<string[]>;

/** Reads TXT records from these DNS servers, or from those of the system. Rejects when there is no answer within the limit. */
export function createResolveText({
  dnsServers,
  timeoutMs,
}: {
  dnsServers: readonly string[];
  timeoutMs: number;
}): ResolveText {
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  return (name) => within(timeoutMs, texts(resolver, name));
}

async function texts(resolver: dns.Resolver, name: string): Promise<string[]> {
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(""));
  } catch (error) {
    return emptyOrThrow(error);
  }
}

async function bySystem(name: string): Promise<string[]> {
  try {
    const found = await dns.lookup(name, { all: true, order: "ipv4first" });
    return found.map(({ address }) => address);
  } catch (error) {
    return emptyOrThrow(error);
  }
}

async function byServers(resolver: dns.Resolver, name: string): Promise<string[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [v4, v6].flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  if (addresses.length > 0) return addresses;
  // Nothing at all: a failure of either question is the reason, if it is one.
  for (const result of [v4, v6]) if (result.status === "rejected") emptyOrThrow(result.reason);
  return [];
}

const absent = new Set(["ENOTFOUND", "ENODATA", "EAI_NONAME", "EAI_NODATA", "NOTFOUND", "NODATA", "EBADNAME"]);

function emptyOrThrow(error: unknown): string[] {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (absent.has(code)) return [];
  throw error;
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
