import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { counted } from "../output.ts";
import { findPolicyFiles, isValid, readPolicyFiles } from "../policy-file.ts";
import { printProblems, problemJson } from "../problem-text.ts";
import { readSuites } from "../suite-file.ts";
import { untilVerdictOf, verdictLine, verdictRuleJson } from "../verdict-rule.ts";

/** `policy-guard validate`: checks policies without running their tests. */
export const validate = defineCommand({
  name: "validate",
  summary: "Check policies: list every problem with its position, and the rules that make streams wait.",
  positionals: { label: "<file|folder>...", min: 1, max: 1000 },
  options: {},
  notes: "A folder stands for its .yaml, .yml and .json files, those of its folders included, hidden ones left out.",
  async run({ positionals, output, world }) {
    const found = findPolicyFiles(positionals);
    const policies = readPolicyFiles(found.files, world.now());
    const files = [...policies, ...readSuites(found.suites, policies)];
    const waiting = new Map(files.map((file) => [file, untilVerdictOf(file)]));
    for (const file of files) {
      printProblems(file, output);
      for (const rule of waiting.get(file) ?? []) output.line(output.styled("dim", verdictLine(file.path, rule)));
    }
    const wrong = files.filter((file) => !isValid(file)).length;
    const sum = wrong === 0 ? output.styled("green", "valid") : output.styled("red", `${wrong} not valid`);
    output.line(`${counted(files.length, "file")}: ${sum}`);
    output.json({
      valid: wrong === 0,
      files: files.map((file) => ({
        file: file.path,
        policy: file.policy?.metadata.name ?? null,
        valid: isValid(file),
        problems: file.problems.map(problemJson),
        until_verdict: (waiting.get(file) ?? []).map(verdictRuleJson),
      })),
    });
    return wrong === 0 ? exitCodes.fine : exitCodes.refused;
  },
});
