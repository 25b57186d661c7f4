import type { JsonObject } from "@bufbuild/protobuf";
import { type Counterexample, findCounterexamples } from "../../../runtime/engine/authoring/counterexamples.ts";
import { diffPolicies, type PolicyDiff, type Strictness } from "../../../runtime/engine/authoring/diff.ts";
import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import type { Effect, PolicyChange } from "../../../runtime/engine/policy/change.ts";
import { nameOf, outcomes } from "../../../runtime/engine/policy/enum-names.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { type Output, type Style, shown } from "../output.ts";
import { ownPackSource } from "../pack-library.ts";
import { readPolicyFile, requirePolicies } from "../policy-file.ts";

const sentences: Readonly<Record<Strictness, string>> = {
  equal: "The new version enforces the same.",
  stricter: "The new version is at least as strict.",
  weaker: "The new version is at most as strict.",
  unknown: "Whether the new version is at least as strict cannot be said by looking.",
};

const marks: Readonly<Record<Effect, readonly [string, Style]>> = {
  neutral: [" ", "dim"],
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
  notes: "Marks: + stricter, - weaker, ? cannot be said by looking, none: no outcome changes.",
  async run({ values, positionals, output, world }) {
    const [before, after] = requirePolicies(positionals.map((path) => readPolicyFile(path)));
    if (before === undefined || after === undefined) throw new Error("two files were asked for");
    const found = diffPolicies(before.policy, after.policy, catalog, ownPackSource);
    const counterexamples = findCounterexamples(before.policy, after.policy, {
      now: world.now(),
      packs: ownPackSource,
    });
    print(found, counterexamples, output);
    output.json(diffJson(found, counterexamples));
    const isCertain = found.strictness === "equal" || found.strictness === "stricter";
    return values["at-least-as-strict"] === true && !isCertain ? exitCodes.refused : exitCodes.fine;
  },
});

function print(
  { changes, strictness, reasons }: PolicyDiff,
  counterexamples: readonly Counterexample[],
  output: Output,
): void {
  for (const { text, effect } of changes) output.line(marked(effect, text, output));
  // A reason that no single change causes, but several together.
  const told = new Set(changes.map(reasonOf));
  if (strictness === "unknown") {
    for (const reason of reasons.filter((each) => !told.has(each))) output.line(onOneLine(reason));
  }
  for (const { test, before, after } of counterexamples) {
    output.line(onOneLine(`test "${test}": ${nameOf(outcomes, after)} instead of ${nameOf(outcomes, before)}`));
  }
  output.line(changes.length === 0 ? "The two are the same policy." : sentences[strictness]);
}

function reasonOf({ effect, text }: PolicyChange): string {
  return `${effect}: ${text}`;
}

function marked(effect: Effect, text: string, output: Output): string {
  const [mark, style] = marks[effect];
  return output.styled(style, `${mark} ${onOneLine(text)}`);
}

function onOneLine(text: string): string {
  return shown(text).replaceAll("\n", " ");
}

/** A difference for programs, in the form of the server's answer. */
function diffJson(
  { changes, strictness, reasons }: PolicyDiff,
  counterexamples: readonly Counterexample[],
): JsonObject {
  return {
    strictness,
    reasons: [...reasons],
    changes: changes.map(({ kind, path, rule = null, text, before = null, after = null, effect }) => {
      return { kind, path, rule, text, before, after, effect };
    }),
    witnesses: counterexamples.map(({ test, before, after }) => {
      return { test, before: nameOf(outcomes, before), after: nameOf(outcomes, after) };
    }),
  };
}
