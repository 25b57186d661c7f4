import type {
  ExplainedCondition,
  ExplainedPolicy,
  ExplainedRule,
  Explanation,
} from "../../../gen/policyguard/policy/v1/explanation_pb.ts";
import { nameOf, outcomes, trustName } from "../../../runtime/engine/policy/enum-names.ts";
import { defineCommand } from "../command.ts";
import { printDecision, quoted } from "../decision-text.ts";
import { type Explained, environmentOf, explainRequest } from "../evaluate.ts";
import { explanationJson } from "../explanation.ts";
import { exitCodes } from "../failure.ts";
import { columns, counted, type Output, shown } from "../output.ts";
import { findPolicyFiles, readPolicyFiles, requirePolicies } from "../policy-file.ts";
import { readSubject, requestOptions } from "../request.ts";

/** `policy-guard explain`: explains a decision. */
export const explain = defineCommand({
  name: "explain",
  summary: "Explain the decision about a text or a request.",
  positionals: { label: "<file|folder>...", min: 1, max: 1000 },
  options: requestOptions,
  notes: "Without --text, --file and --request the text is read from standard input.",
  async run({ values, positionals, output, world }) {
    const files = requirePolicies(readPolicyFiles(findPolicyFiles(positionals).files));
    const subject = await readSubject(values, world);
    const explained = explainRequest(files, subject, environmentOf(files, values.env), world.now());
    const paths = new Map(files.map(({ policy, path }) => [policy.metadata.name, path]));
    printDecision(explained, output);
    printSegments(explained, output);
    for (const policy of explained.explanation.policies) printPolicy(policy, paths.get(policy.name) ?? "", output);
    for (const { policy, ruleId, message } of explained.explanation.untilVerdict)
      output.line(`a stream waits for the verdict: ${shown(`${policy}/${ruleId}`)}: ${shown(message)}`);
    printCost(explained.explanation, explained.compileUs, output);
    output.json(explanationJson(explained, paths));
    return exitCodes.fine;
  },
});

function printSegments({ explanation, evaluation }: Explained, output: Output): void {
  output.line("\nsegments and what detectors found in them:");
  for (const [index, { id, role, trust, length, detections, backends }] of explanation.segments.entries()) {
    const text = evaluation.segments[index]?.text ?? "";
    output.line(`  ${shown(id)}: ${shown(role)}, ${trustName(trust)}, ${counted(length, "character")}`);
    const rows = detections.map(({ names, category, score, start, end, layer }) => [
      shown(names.join(", ")),
      shown(category),
      score.toFixed(2),
      `${start}-${end}`,
      quoted(text.slice(start, end)) + (layer === "plain" ? "" : ` (in ${layer})`),
    ]);
    for (const line of columns(rows)) output.line(`    ${line}`);
    for (const { detectors, backend, text: said } of backends)
      output.line(`    ${shown(detectors.join(", "))}, backend ${shown(backend)}: ${shown(said)}`);
  }
}

function printPolicy({ name, applies, reason, rules }: ExplainedPolicy, path: string, output: Output): void {
  output.line(`\npolicy ${output.styled("bold", shown(name))} (${shown(path)})`);
  if (!applies) output.line(`  takes no part: ${shown(reason)}`);
  for (const rule of rules) printRule(rule, output);
}

function printRule(rule: ExplainedRule, output: Output): void {
  const { ruleId, matched, nearly, judgements, judgementsLeftOut } = rule;
  const line = `${shown(ruleId)} (${nameOf(outcomes, rule.action)}) ${verdictOf(rule, output)}: ${shown(rule.reason)}`;
  output.line(`  ${matched || nearly ? line : output.styled("dim", line)}`);
  for (const { segment, reason, conditions } of judgements) {
    // The reason of the rule is that of the first.
    if (judgements.length > 1) output.line(`    ${shown(segment)}: ${shown(reason)}`);
    for (const condition of conditions) printParts(condition, output);
  }
  if (judgementsLeftOut > 0) output.line(`    and ${counted(judgementsLeftOut, "more segment")}`);
}

function verdictOf({ matched, effective, decided, nearly }: ExplainedRule, output: Output): string {
  if (matched) return `${output.styled(effective ? "red" : "yellow", "matched")}${decided ? " and decided" : ""}`;
  return nearly ? output.styled("yellow", "nearly matched") : "did not match";
}

/** The parts of a condition with their values. A condition of one part is printed with its rule. */
function printParts({ kind, joint, parts }: ExplainedCondition, output: Output): void {
  for (const { source, value, problem } of parts) {
    output.line(`    ${kind} ${shown(joint)} ${value ?? problem}: ${shown(source).replaceAll("\n", " ")}`);
  }
}

function printCost({ cost }: Explanation, compileUs: number, output: Output): void {
  const total = milliseconds(cost?.totalUs ?? 0);
  const parts = `${milliseconds(cost?.scanUs ?? 0)} of it for scanning, ${milliseconds(cost?.decideUs ?? 0)} for the rules`;
  output.line(`\ncompiled in ${milliseconds(compileUs)}, evaluated in ${total}: ${parts}`);
}

function milliseconds(us: number): string {
  return `${(us / 1000).toFixed(1)} ms`;
}
