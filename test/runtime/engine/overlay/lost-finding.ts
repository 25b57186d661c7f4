// What overlays take away, which must be nothing.

import type { whole } from "../stream/sample-stream.ts";

/** What an engine found without overlays and has lost with them; a finding that is surer than before is kept. */
export function lostBy(before: Judged, after: Judged): string[] {
  const kept = after.evaluation.findings;
  const lost = before.evaluation.findings.filter(
    ({ score, ...finding }) => !kept.some((other) => placeOf(other) === placeOf(finding) && other.score >= score),
  );
  return lost.map((finding) => `${placeOf(finding)} ${finding.score}`);
}

type Judged = ReturnType<typeof whole>;
type Finding = Judged["evaluation"]["findings"][number];

function placeOf({ ruleId, category, start, end }: Pick<Finding, "ruleId" | "category" | "start" | "end">): string {
  return JSON.stringify([ruleId, category, start, end]);
}
