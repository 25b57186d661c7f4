// What many ask for at the same time, such as a whole fleet for the bundle that was just activated, is compressed once. Answers
// are told apart by the SHA-256 of their bytes, so nothing has to know what they are about, and none is taken for another.

import { hash } from "node:crypto";

/** Compresses bytes off the main thread. */
export type Compress = (body: Uint8Array) => Promise<Uint8Array>;

/** Below this size compressing again costs less than it is worth to remember. */
export const leastCachedBytes = 64 * 1024;
/** How long a fleet takes to ask. */
const keptMs = 30_000;
/** Most bytes that are kept, compressed. */
const mostBytes = 32 * 1024 * 1024;

interface Kept {
  readonly work: Promise<Uint8Array>;
  sizeBytes: number;
  readonly expiry: NodeJS.Timeout;
}

/** The same compression, which remembers large results for half a minute. */
export function rememberingCompress(compress: Compress): Compress {
  const kept = new Map<string, Kept>();
  let totalBytes = 0;
  const forget = (key: string) => {
    const entry = kept.get(key);
    if (entry === undefined) return;
    kept.delete(key);
    clearTimeout(entry.expiry);
    totalBytes -= entry.sizeBytes;
  };
  const hold = (key: string, sizeBytes: number) => {
    const entry = kept.get(key);
    if (entry === undefined) return;
    entry.sizeBytes = sizeBytes;
    totalBytes += sizeBytes;
    for (const oldest of kept.keys()) {
      if (totalBytes <= mostBytes) return;
      forget(oldest);
    }
  };
  return (body) => {
    if (body.byteLength < leastCachedBytes) return compress(body);
    const key = hash("sha256", body, "base64url");
    const known = kept.get(key);
    if (known !== undefined) return known.work;
    const work = compress(body);
    kept.set(key, { work, sizeBytes: 0, expiry: setTimeout(() => forget(key), keptMs).unref() });
    const isKept = () => kept.get(key)?.work === work;
    work.then(
      (result) => isKept() && hold(key, result.byteLength),
      () => isKept() && forget(key),
    );
    return work;
  };
}
