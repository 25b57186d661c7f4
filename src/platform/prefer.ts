// The header Prefer (RFC 7240), of which we know one preference: wait (section 4.3).

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
