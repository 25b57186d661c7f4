// The closing line of a run, between the reporter that counts and the script that prints.

/** How many tests ended in which way. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The environment variable that names the file for the totals. */
export const totalsFileVariable = "TEST_TOTALS_FILE";

/** The closing line. */
export function closingLine(totals: Totals): string {
  return `${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`;
}
