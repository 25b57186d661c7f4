import { outcomes } from "../../../runtime/engine/policy/enum-names.ts";
import { defineCommand } from "../command.ts";
import { noteAbsent, printDecision } from "../decision-text.ts";
import { decisionJson, environmentOf, judge } from "../evaluate.ts";
import { exitCodes } from "../failure.ts";
import { findPolicyFiles, readPolicyFiles, requirePolicies } from "../policy-file.ts";
import { readSubject, requestOptions } from "../request.ts";

const limits = { flag: outcomes.FLAG, redact: outcomes.REDACT, block: outcomes.BLOCK } as const;

/** `policy-guard eval`: judges a text or a request. */
export const evaluate = defineCommand({
  name: "eval",
  summary: "Evaluate a text or a request by policies.",
  positionals: { label: "<file|folder>...", min: 1, max: 1000 },
  options: {
    ...requestOptions,
    "fail-on": {
      type: "string",
      value: "OUTCOME",
      choices: Object.keys(limits),
      help: "Exit with 1 when the outcome is this or stricter; without it, every decision exits with 0.",
    },
  },
  notes: "Without --text, --file and --request the text is read from standard input.",
  async run({ values, positionals, output, world }) {
    const files = requirePolicies(readPolicyFiles(findPolicyFiles(positionals).files));
    const subject = await readSubject(values, world);
    const judged = judge(files, subject, environmentOf(files, values.env), world.now());
    noteAbsent(files, judged, output);
    printDecision(judged, output);
    output.json(decisionJson(judged));
    const limit = Object.entries(limits).find(([name]) => name === values["fail-on"])?.[1];
    const isTooStrict = limit !== undefined && judged.evaluation.response.outcome >= limit;
    return isTooStrict ? exitCodes.refused : exitCodes.fine;
  },
});
