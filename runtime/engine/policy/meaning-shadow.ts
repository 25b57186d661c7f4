// The end of a shadow mode: that it is a moment, and that there is a shadow to end.

import type { PolicyDefaults } from "./document.ts";
import { isMoment, type Reporter } from "./reporter.ts";
import type { TreePath } from "./tree-path.ts";

/** Checks the `shadow` of a rule, of a pack or of the defaults, whose mode is this one. */
export function checkShadow(
  { shadow }: Pick<PolicyDefaults, "shadow">,
  mode: string | undefined,
  path: TreePath,
  report: Reporter,
): void {
  if (shadow === undefined) return;
  const { until, becomes = "enforce" } = shadow;
  if (!isMoment(until)) {
    report.error([...path, "shadow", "until"], `"${until}" is not a date`);
  } else if (mode === "shadow" && report.isPast(until)) {
    report.warn([...path, "shadow"], `the shadow has ended: since ${until} the mode is ${becomes}`);
  }
  if (mode !== "shadow") {
    report.warn([...path, "shadow"], `"shadow" has no effect: the mode is ${mode ?? "enforce"}, not shadow`);
  }
}
