// A benchmark as Markdown, for the summary of a CI job or a comment on a change.

import { intervalText, percent, placeOf, type ReportFacts, targetText, wrongText } from "./benchmark-facts.ts";
import { unmetText } from "./benchmark-requirement.ts";

/** Results that are listed for people. */
const maxShown = 50;

/** The report of a benchmark. */
export function benchmarkMarkdown(facts: ReportFacts): string {
  const { benchmark, dataset, requirements, wrong, omitted, sides } = facts;
  const { report, version, target } = benchmark;
  const overall = report?.overall;
  const { samples = 0, unscored = 0, missing = 0 } = overall ?? {};
  const slices = (report?.slices ?? []).filter(({ by }) => by === "label" || by === "language" || by === "stage");
  const shown = wrong.slice(0, maxShown);
  const rest = wrong.length - shown.length + omitted;
  const parts = [
    `## Benchmark of ${code(targetText(target))} on ${code(`${dataset}@${version}`)}`,
    `${samples} samples, ${unscored} of them unscored, ${missing} not judged.`,
    ...(requirements.length === 0 ? [] : [requirements.map(requirementLine).join("\n")]),
    table(
      ["", "estimate (95 %)"],
      [
        ["recall", intervalText(overall?.recall)],
        ["false positive rate", intervalText(overall?.falsePositiveRate)],
        ["precision", intervalText(overall?.precision)],
        ["F1", intervalText(overall?.f1)],
      ],
    ),
    ...(slices.length === 0
      ? []
      : [
          table(
            ["part", "samples", "recall", "false positive rate"],
            slices.map(({ by, value, metrics }) => [
              ...[code(`${by} ${value}`), String(metrics?.samples ?? 0)],
              ...[intervalText(metrics?.recall), intervalText(metrics?.falsePositiveRate)],
            ]),
          ),
        ]),
    ...(report === undefined || report.floors.length === 0
      ? []
      : [
          table(
            ["without looking", "recall", "false positive rate"],
            report.floors.map(({ name, recall, falsePositiveRate }) => [
              ...[code(name), share(recall), share(falsePositiveRate)],
            ]),
          ),
        ]),
    ...(sides.length === 0 ? [] : [sideTable(sides)]),
    ...(shown.length === 0
      ? []
      : [
          table(
            ["sample", "what is wrong"],
            shown.map((each) => [code(placeOf(facts, each.result)), code(wrongText(each))]),
          ),
        ]),
    ...(rest === 0 ? [] : [`… and ${rest} more.`]),
    ...(report === undefined ? [] : [`Digest ${code(report.resultDigest)}`]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function sideTable(sides: ReportFacts["sides"]): string {
  const head = [
    "side by side",
    "recall",
    "false positive rate",
    "not judged",
    "right and wrong where the first is not",
  ];
  return table(
    head,
    sides.map(({ name, recall, falsePositiveRate, missing, compared }) => [
      ...[code(name), recall, falsePositiveRate, missing, compared],
    ]),
  );
}

function requirementLine(requirement: ReportFacts["requirements"][number]): string {
  return requirement.isMet ? `- met: ${requirement.text}` : `- **not met**: ${unmetText(requirement)}`;
}

function share(value: number | undefined): string {
  return value === undefined ? "-" : percent(value);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Foreign text as code that no Markdown in it can leave: also in a table, whose cells a pipe would end. */
function code(text: string): string {
  const plain = text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
    .replace(/[\u0000-\u001f\u007f`]/g, " ")
    .replaceAll("|", "\\|")
    .trim();
  return plain === "" ? "-" : `\`${plain}\``;
}
