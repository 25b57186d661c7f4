// Entity tags of bundles and the If-None-Match comparison (RFC 9110 sections 8.8.3 and 13.1.2).

/** The strong entity tag of a bundle under an activation: `"sha256-<hex>-<seq>"`. */
export function etagOf(bundleDigest: string, activationSeq: number): string {
  return `"${bundleDigest.replace(":", "-")}-${activationSeq}"`;
}

/** What an entity tag says, when it is the only one and ours. */
export function readEtag(header: string): { readonly digest: string; readonly activationSeq: number } | undefined {
  const [, hex, seq] = /^"sha256-([0-9a-f]{64})-(\d{1,15})"$/.exec(header.trim()) ?? [];
  return hex === undefined ? undefined : { digest: `sha256:${hex}`, activationSeq: Number(seq) };
}

/**
 * Whether an If-None-Match header holds for the current entity tag, so that the answer is 304. The comparison is weak,
 * as RFC 9110 prescribes for this header; a tag without quotes is no tag and matches nothing.
 */
export function ifNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  // A comma may stand inside a quoted tag, so the list cannot be split at commas.
  for (const [, tag] of header.matchAll(/(?:^|,)\s*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?=,|$)/g)) {
    if (tag === opaque) return true;
  }
  return false;
}
