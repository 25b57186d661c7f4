// Numbers that only grow, across a restore of the database to an earlier moment. The backup has forgotten how far they
// had come, while runtimes and witnesses remember it.

const firstSecondMs = Date.UTC(2026, 0, 1);
/** Numbers that are left out where the clock is of no help: more than anybody counts between a backup and a restore. */
const leftOut = 1_000_000;

/**
 * The number to go on from, of which `last` is the newest that the database knows. It comes from the clock, one number
 * for each second, so that a second restore of the same backup, or of an older one, goes on above the first: from the
 * backup alone, both would come to the same number. Nobody counts as fast as that for long; where the database is ahead
 * of the clock all the same (it was set back), numbers are left out. They fit into 31 bits until 2094.
 */
export function numberAfterRestore(last: number, now: Date): number {
  const byClock = Math.floor((now.getTime() - firstSecondMs) / 1_000);
  return byClock > last ? byClock : last + leftOut;
}
