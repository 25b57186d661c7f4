import type { Evaluation } from "../../../runtime/engine/evaluation.ts";
import { trustName } from "../../../runtime/engine/wire.ts";
import { defineCommand } from "../command.ts";
import { printDecision, quoted } from "../decision-text.ts";
import { environmentOf, judge } from "../evaluate.ts";
import { type ExplainedPolicy, type ExplainedRule, explainPolicies, explanationJson } from "../explanation.ts";
import { exitCodes } from "../failure.ts";
import { columns, counted, type Output, shown } from "../output.ts";
import { findPolicyFiles, readPolicyFiles, requirePolicies } from "../policy-file.ts";
import { readSubject, requestOptions } from "../request.ts";

/** `policy-guard explain`: tells why something is judged as it is. */
export const explain = defineCommand({
  name: "explain",
  summary: "Tell why a text or a request is judged as it is.",
  positionals: { label: "<file|folder>...", min: 1, max: 1000 },
  options: requestOptions,
  notes: "Without --text, --file and --request the text is read from standard input.",
  async run({ values, positionals, output, world }) {
    const files = requirePolicies(readPolicyFiles(findPolicyFiles(positionals).files));
    const subject = await readSubject(values, world);
    const now = world.now();
    const judged = judge(files, subject, environmentOf(files, values.env), now);
    const policies = explainPolicies(files, judged, now);
    printDecision(judged, output);
    printSegments(judged.evaluation, output);
    for (const policy of policies) printPolicy(policy, output);
    const { latencyUs } = judged.evaluation.response;
    output.line(`\ncompiled in ${milliseconds(judged.compileUs)}, evaluated in ${milliseconds(latencyUs)}`);
    output.json(explanationJson(judged, policies));
    return exitCodes.fine;
  },
});

function printSegments({ segments, signals }: Evaluation, output: Output): void {
  output.line("\nsegments and what detectors found in them:");
  for (const { id, role, trust, text } of segments) {
    output.line(`  ${shown(id)}: ${shown(role)}, ${trustName(trust)}, ${counted(text.length, "character")}`);
    const own = signals.filter(({ segment }) => segment === id);
    const rows = own.map(({ detector, category, score, start, end }) => [
      shown(detector),
      shown(category),
      score.toFixed(2),
      `${start}-${end}`,
      quoted(text.slice(start, end)),
    ]);
    for (const line of columns(rows)) output.line(`    ${line}`);
  }
}

function printPolicy({ file, absent, rules }: ExplainedPolicy, output: Output): void {
  output.line(`\npolicy ${output.styled("bold", shown(file.policy.metadata.name))} (${shown(file.path)})`);
  if (absent !== undefined) output.line(`  takes no part: ${shown(absent)}`);
  for (const explained of rules) output.line(`  ${ruleLine(explained, output)}`);
}

function ruleLine({ rule, status, reason, findings, decided }: ExplainedRule, output: Output): string {
  const why = reason === "" ? "" : `: ${shown(reason)}`;
  const name = `${shown(rule.id)} (${rule.action})`;
  if (status === "matched") {
    const mark = output.styled(reason === "" ? "red" : "yellow", "matched");
    return `${name} ${mark} ${counted(findings.length, "time")}${why}${decided ? ", and decided" : ""}`;
  }
  return output.styled("dim", `${name} ${status === "not_matched" ? "did not match" : "was not asked"}${why}`);
}

function milliseconds(us: number): string {
  return `${(us / 1000).toFixed(1)} ms`;
}
