// Numbers that only grow, across a restore of the database to an earlier moment. The backup has forgotten how far they
// had come, while runtimes and witnesses remember it.

const firstSecondMs = Date.UTC(2026, 0, 1);
/** More than anybody counts between a backup and its restore. */
const leftOut = 1_000_000;

/**
 * The number to go on from, of which `last` is the newest that the database knows. It comes from the clock, one number
 * for each second, so that a second restore of the same backup, or of an older one, goes on above the first: from the
 * backup alone, both would come to the same number. Where the database is near the clock or ahead of it, as soon after
 * a former restore, it may have counted faster than the clock since: numbers are left out then, more of them with each
 * minute. Both ways only grow with time, and so does the larger of them. They fit into 31 bits until 2094.
 */
export function numberAfterRestore(last: number, now: Date): number {
  const byClock = Math.floor((now.getTime() - firstSecondMs) / 1_000);
  return Math.max(byClock, last + leftOut + Math.floor(byClock / 60));
}
