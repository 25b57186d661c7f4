// Counts the tests of a run. Under `npm test` the totals go to a file, because the closing line comes after everything
// else.

import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { closingLine, type Totals, totalsFileVariable } from "./totals.ts";

/** Counts tests; a file that could not be loaded, a failed hook and an error outside of any test count as failures. */
export function countTests(modules: readonly TestModule[], unhandledErrors: number): Totals {
  const totals = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    let failedHere = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // "pending" is a test that the end of the run cut off.
      if (state === "passed" || state === "skipped") totals[state] += 1;
      else failedHere += 1;
    }
    if (failedHere === 0 && module.state() === "failed") failedHere = 1;
    totals.failed += failedHere;
  }
  return totals;
}

/** The reporter that vitest.config.ts names (vitest takes the default export of the file). */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const totals = countTests(modules, unhandledErrors.length);
    const file = process.env[totalsFileVariable];
    if (file === undefined) console.log(`\n${closingLine(totals)}`);
    else writeFileSync(file, JSON.stringify(totals));
  }
}
