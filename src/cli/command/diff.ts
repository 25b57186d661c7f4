import type { JsonValue } from "@bufbuild/protobuf";
import { defineCommand } from "../command.ts";
import { type Change, type Effect, type Verdict, verdictOf } from "../diff/change.ts";
import { policyChanges } from "../diff/policy.ts";
import { exitCodes } from "../failure.ts";
import { type Output, type Style, shown } from "../output.ts";
import { readPolicyFile, requirePolicies } from "../policy-file.ts";

const sentences: Readonly<Record<Verdict, string>> = {
  same: "The new version enforces the same.",
  stricter: "The new version is at least as strict.",
  weaker: "The new version is at most as strict.",
  mixed: "The new version is stricter in some places and weaker in others.",
  unknown: "Whether the new version is at least as strict cannot be decided: see what is marked ?.",
};

const marks: Readonly<Record<Effect, readonly [string, Style]>> = {
  none: [" ", "dim"],
  stricter: ["+", "green"],
  weaker: ["-", "red"],
  unknown: ["?", "yellow"],
};

/** `policy-guard diff`: compares two versions of a policy. */
export const diff = defineCommand({
  name: "diff",
  summary: "Compare two versions of a policy in the terms of the language.",
  positionals: { label: "<old> <new>", min: 2, max: 2 },
  options: {
    "at-least-as-strict": {
      type: "boolean",
      help: "Exit with 1 unless it is certain that the new version is at least as strict.",
    },
  },
  notes: "Marks: + stricter, - weaker, ? depends on what a condition means, none: nothing that is enforced changes.",
  async run({ values, positionals, output }) {
    const [before, after] = requirePolicies(positionals.map(readPolicyFile));
    if (before === undefined || after === undefined) throw new Error("two files were asked for");
    const changes = policyChanges(before.policy, after.policy);
    const verdict = verdictOf(changes);
    print(changes, verdict, output);
    output.json({ verdict, changes: changes.map((change): JsonValue => ({ ...change })) });
    const isCertain = verdict === "same" || verdict === "stricter";
    return values["at-least-as-strict"] === true && !isCertain ? exitCodes.refused : exitCodes.fine;
  },
});

function print(changes: readonly Change[], verdict: Verdict, output: Output): void {
  for (const { on, name, what, effect } of changes) {
    const [mark, style] = marks[effect];
    const subject = name === "" ? on : `${on} ${name}`;
    output.line(output.styled(style, `${mark} ${shown(`${subject}: ${what}`).replaceAll("\n", " ")}`));
  }
  output.line(changes.length === 0 ? "The two are the same policy." : sentences[verdict]);
}
