// A decision as people read it.

import type { Finding } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { nameOf, outcomes } from "../../runtime/engine/policy/enum-names.ts";
import { type Judged, type JudgingFile, whyAbsent } from "./evaluate.ts";
import { columns, type Output, type Style, shown } from "./output.ts";

const colours: Readonly<Record<string, Style>> = { ALLOW: "green", FLAG: "yellow", REDACT: "yellow", BLOCK: "red" };

/** Prints a decision with its reasons. */
export function printDecision({ evaluation }: Judged, output: Output): void {
  const { response, decidedByPolicy, decidedByRule } = evaluation;
  const outcome = nameOf(outcomes, response.outcome);
  const by = decidedByRule === "" ? "" : ` by rule ${shown(decidedByRule)} of policy ${shown(decidedByPolicy)}`;
  output.line(`${output.styled(colours[outcome] ?? "bold", outcome)}${by}`);
  const wouldBe = nameOf(outcomes, response.wouldBeOutcome);
  if (wouldBe !== outcome) output.line(`${wouldBe} if shadow rules took effect and nothing was exempted`);
  if (response.message !== undefined) output.line(`message: ${shown(response.message)}`);
  const texts = new Map(evaluation.segments.map(({ id, text }) => [id, text]));
  const rows = evaluation.findings.map((finding) => findingRow(finding, texts.get(finding.segment) ?? ""));
  if (rows.length > 0) output.line("findings:");
  for (const line of columns(rows)) output.line(`  ${line}`);
  for (const { detector, reason } of response.unjudged) output.line(`could not be judged: ${detector}: ${reason}`);
  for (const { id, text } of response.redactedSegments) {
    output.line(`${id}: ${shown(text)}`);
  }
}

function findingRow(finding: Finding, text: string): string[] {
  const { ruleId, policy, category, segment, start, end, score, layer } = finding;
  return [
    shown(`${policy}/${ruleId}`),
    shown(category),
    score.toFixed(2),
    `${shown(segment)} ${start}-${end}`,
    quoted(text.slice(start, end)) + (layer === "plain" ? "" : ` (in ${layer})`),
    effectOf(finding),
  ];
}

/** What a finding lacks, if anything. */
export function effectOf({ mode, exemptedBy }: Pick<Finding, "mode" | "exemptedBy">): string {
  if (exemptedBy !== undefined) return `exempted by ${shown(exemptedBy)}`;
  return mode === Mode.SHADOW ? "shadow" : "";
}

/** The beginning of a text, in quotes and on one line. */
export function quoted(text: string, maxLength = 60): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return JSON.stringify(shown(short.toWellFormed()));
}

/** Prints the policies that take no part, since a text that no policy judges is allowed. */
export function noteAbsent(files: readonly JudgingFile[], { env, subject }: Judged, output: Output): void {
  for (const { policy } of files) {
    const why = whyAbsent(policy, env, subject.request.agentId ?? "");
    if (why !== undefined) output.note(`policy ${shown(policy.metadata.name)} takes no part: ${shown(why)}`);
  }
}
