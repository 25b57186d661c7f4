// The header Prefer (RFC 7240), of which we know two preferences: wait (section 4.3), and one of our own for bundles.

/** Maximum wait that is honoured, in seconds. */
const maxWaitSeconds = 30;

/**
 * How long the caller is ready to wait for a change, in milliseconds. Malformed preferences are ignored, as the RFC
 * demands.
 */
export function waitMsOf(prefer: string | undefined): number {
  const seconds = Number(/(?:^|[,;\s])wait\s*=\s*"?(\d{1,5})"?/i.exec(prefer ?? "")?.[1] ?? 0);
  return Math.min(seconds, maxWaitSeconds) * 1000;
}

/** Whether the caller needs only those parts of a bundle that the one it has, by its entity tag, lacks. */
export function wantsChangedParts(prefer: string | undefined): boolean {
  return /(?:^|[,;\s])parts\s*=\s*"?changed"?(?=$|[,;\s])/i.test(prefer ?? "");
}
