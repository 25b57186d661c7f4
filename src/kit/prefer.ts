// The header Prefer (RFC 7240), of which we know one preference: wait (section 4.3).

/** Longest wait that is honoured, in seconds. */
const maxWaitSeconds = 30;

/** How long the caller would wait for a change, in milliseconds. What cannot be read is ignored, as the RFC asks of preferences. */
export function waitMsOf(prefer: string | undefined): number {
  const seconds = Number(/(?:^|[,;\s])wait\s*=\s*"?(\d{1,5})"?/i.exec(prefer ?? "")?.[1] ?? 0);
  return Math.min(seconds, maxWaitSeconds) * 1000;
}
