// Checks the end of a shadow mode: it must be a date, and the mode must be shadow.

import type { PolicyDefaults } from "./document.ts";
import { isTimestamp, type Reporter } from "./reporter.ts";
import type { TreePath } from "./tree-path.ts";

/** Checks the `shadow` of a rule, a pack or the defaults; `mode` is the mode that it belongs to. */
export function checkShadow(
  { shadow }: Pick<PolicyDefaults, "shadow">,
  mode: string | undefined,
  path: TreePath,
  report: Reporter,
): void {
  if (shadow === undefined) return;
  const { until, becomes = "enforce" } = shadow;
  if (!isTimestamp(until)) {
    report.error("invalid_date", [...path, "shadow", "until"], `"${until}" is not a date`);
  } else if (mode === "shadow" && report.isPast(until)) {
    report.warn("expired", [...path, "shadow"], `the shadow has ended: since ${until} the mode is ${becomes}`);
  }
  if (mode !== "shadow") {
    report.warn(
      "no_effect",
      [...path, "shadow"],
      `"shadow" has no effect: the mode is ${mode ?? "enforce"}, not shadow`,
    );
  }
}
