// How many items a step of a run takes on: as many as take about half a second.

const quickMs = 400;
const slowMs = 1_000;

/** The number to take on next, after so many have taken so long. */
export function nextPace(
  pace: number,
  tookMs: number,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  if (tookMs < quickMs) return Math.min(pace * 2, max);
  return tookMs > slowMs ? Math.max(Math.floor(pace / 2), min) : pace;
}
