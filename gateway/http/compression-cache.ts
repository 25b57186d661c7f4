// An answer that many callers ask for at the same time is compressed once: a fleet, for example, asks for the bundle
// that was just activated. The key is the SHA-256 of the bytes, so the cache knows nothing of their meaning and never
// confuses two answers.

import { subtle } from "node:crypto";
import { BoundedCache } from "../../src/kit/process/bounded-cache.ts";

/** Compresses bytes off the main thread. */
export type Compress = (body: Uint8Array) => Promise<Uint8Array>;

/** Smaller answers are compressed again each time, which costs less than to remember them. */
export const minCachedBytes = 64 * 1024;
/** The time within which a fleet asks. */
const keptMs = 30_000;
/** Upper bound of the compressed bytes that are kept. */
const maxBytes = 32 * 1024 * 1024;

interface Kept {
  readonly work: Promise<Uint8Array>;
  readonly expiry: NodeJS.Timeout;
}

/** The same compression, which remembers large results for half a minute. */
export function rememberingCompress(compress: Compress): Compress {
  // Results that are under way weigh nothing yet, and are as many as there are calls.
  const kept = new BoundedCache<string, Kept>({
    maxEntries: Number.POSITIVE_INFINITY,
    maxWeight: maxBytes,
    onEvict: ({ expiry }) => clearTimeout(expiry),
  });
  return async (body) => {
    if (body.byteLength < minCachedBytes) return compress(body);
    // Off the main thread too: of tens of megabytes it takes a tenth of a second.
    const key = Buffer.from(await subtle.digest("SHA-256", body)).toString("base64url");
    const known = kept.get(key);
    if (known !== undefined) return known.work;
    const work = compress(body);
    const entry = { work, expiry: setTimeout(() => kept.delete(key), keptMs).unref() };
    kept.set(key, entry);
    const settle = (size: number | undefined) => {
      if (kept.get(key) !== entry) return;
      if (size !== undefined && size <= maxBytes) return kept.set(key, entry, size);
      kept.delete(key);
      clearTimeout(entry.expiry);
    };
    work.then(
      (result) => settle(result.byteLength),
      () => settle(undefined),
    );
    return work;
  };
}
