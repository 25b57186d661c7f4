// Names to addresses, within a time limit.

import { promises as dns } from "node:dns";
import { BoundedCache } from "../../process/bounded-cache.ts";

/** All addresses of a name, IPv4 before IPv6; empty when it has none. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Resolves names by these DNS servers ("address" or "address:port"); without any, by the system: getaddrinfo, which
 * also reads the hosts file and knows search domains. Rejects when there is no answer within the limit.
 */
export function createResolve({
  dnsServers,
  timeoutMs,
  lookup = lookUp,
}: {
  dnsServers: readonly string[];
  timeoutMs: number;
  /** Asks the system. Only tests replace it. */
  lookup?: Resolve;
}): Resolve {
  if (dnsServers.length === 0) {
    const system = new SystemLookups(lookup);
    return (name) => system.resolve(name, timeoutMs);
  }
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  resolver.setServers(dnsServers);
  return (name) => within(timeoutMs, byServers(resolver, name));
}

/** The texts of a name's TXT records, each put together from its parts; empty when it has none. */
export type ResolveText = (name: string) => Promise<string[]>;

/**
 * Reads TXT records from these DNS servers, or from those of the system. Rejects when there is no answer within the
 * limit.
 */
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

async function lookUp(name: string): Promise<string[]> {
  const found = await dns.lookup(name, { all: true, order: "ipv4first" });
  return found.map(({ address }) => address);
}

/**
 * Concurrent look-ups of names whose servers did not answer before: half of Node's threads for look-ups
 * (process/thread-pool.ts).
 */
const maxSilentAtOnce = 32;
/** How many names are remembered whose servers did not answer; the latest ones. */
const maxSilentNames = 10_000;

// The system holds a thread for each look-up until it gives up on the servers, which takes longer than any caller
// waits. So that many names whose servers do not answer leave threads for the others, each name is looked up once at a
// time, and few such names at once.
class SystemLookups {
  readonly #lookup: Resolve;
  readonly #underWay = new Map<string, Promise<string[]>>();
  readonly #silent = new BoundedCache<string, true>({ maxEntries: maxSilentNames });
  #silentUnderWay = 0;

  constructor(lookup: Resolve) {
    this.#lookup = lookup;
  }

  async resolve(name: string, timeoutMs: number): Promise<string[]> {
    const known = this.#underWay.get(name);
    if (known === undefined && this.#silent.has(name) && this.#silentUnderWay >= maxSilentAtOnce)
      throw new Error(
        "its name was not looked up: its servers did not answer before, and too many such look-ups are pending",
      );
    try {
      return await within(timeoutMs, known ?? this.#begin(name, timeoutMs), () => this.#remember(name));
    } catch (error) {
      return emptyOrThrow(error);
    }
  }

  #begin(name: string, timeoutMs: number): Promise<string[]> {
    const isSilent = this.#silent.has(name);
    if (isSilent) this.#silentUnderWay++;
    const startedAtMs = performance.now();
    const found = this.#lookup(name).finally(() => {
      if (isSilent) this.#silentUnderWay--;
      // An answer in time shows that the name's servers work again.
      if (performance.now() - startedAtMs < timeoutMs) this.#silent.delete(name);
      this.#underWay.delete(name);
    });
    this.#underWay.set(name, found);
    return found;
  }

  #remember(name: string): void {
    this.#silent.set(name, true);
  }
}

async function byServers(resolver: dns.Resolver, name: string): Promise<string[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [v4, v6].flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  if (addresses.length > 0) return addresses;
  // No address at all: if one of the two questions failed, its failure is the reason.
  for (const result of [v4, v6]) if (result.status === "rejected") emptyOrThrow(result.reason);
  return [];
}

const absent = new Set(["ENOTFOUND", "ENODATA", "EAI_NONAME", "EAI_NODATA", "NOTFOUND", "NODATA", "EBADNAME"]);

function emptyOrThrow(error: unknown): string[] {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (absent.has(code)) return [];
  throw error;
}

async function within<T>(timeoutMs: number, work: Promise<T>, onLate?: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onLate?.();
      reject(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
