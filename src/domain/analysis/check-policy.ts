// Checks a policy document: reads it, lists its problems and runs its own tests.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { VerdictRule } from "../../../gen/policyguard/policy/v1/stream_pb.ts";
import { type PolicyTestResult, TestBench } from "../../../runtime/engine/authoring/test-runner.ts";
import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument, PolicyTest } from "../../../runtime/engine/policy/document.ts";
import { canonicalPolicy, parsePolicy } from "../../../runtime/engine/policy/parse.ts";
import { nowhere, type PolicyProblem, Problems, type SourceRange } from "../../../runtime/engine/policy/problem.ts";
import { treeFromText } from "../../../runtime/engine/policy/source-tree.ts";
import { rangeAt } from "../../../runtime/engine/policy/tree-path.ts";
import { verdictRulesOf } from "../../../runtime/engine/stream/notice.ts";
import type { Tools } from "./tools.ts";

/** A document to check. */
export interface PolicyCheck {
  readonly document: JsonValue;
  readonly now: Date;
  /** Whether to look for the rules that make streams wait for the verdict. */
  readonly wantsVerdicts?: boolean;
  /** Whether its own tests are left out. */
  readonly skipsTests?: boolean;
}

/** The result of checking a document. */
export interface CheckedDocument {
  /** The document in canonical form; undefined when it has errors. */
  readonly document: JsonObject | undefined;
  readonly policy: PolicyDocument | undefined;
  /** The document as it was written; null when it came as JSON. */
  readonly source: string | null;
  /** Places of the keys of `match` in the source; none when the document came as JSON. */
  readonly matchPlaces: MatchPlaces;
  readonly problems: readonly PolicyProblem[];
  /** Results of its own tests; empty when it has errors or they were left out. */
  readonly tests: readonly PolicyTestResult[];
  /** The rules that make streams wait for the verdict; empty when the document has errors or nobody asked. */
  readonly untilVerdict: readonly VerdictRule[];
}

/** Places in the source, by the key of `match`. */
export interface MatchPlaces {
  readonly envs: SourceRange;
  readonly agents: SourceRange;
}

/**
 * Reads a document and runs its tests as of `now`. Reports every fault of the document as a problem and never throws
 * for one.
 */
export function checkPolicy(
  { document: input, now, wantsVerdicts = false, skipsTests = false }: PolicyCheck,
  tools: Tools,
): CheckedDocument {
  const { packs, models, enter } = tools;
  const source = typeof input === "string" ? input : null;
  enter("reading the document");
  const { policy, problems } = parsePolicy(input, catalog, packs, now);
  const matchPlaces = policy === undefined ? nowhereOf : placesOf(policy, source);
  const common = { policy, source, matchPlaces, problems };
  if (policy === undefined) return { document: undefined, ...common, tests: [], untilVerdict: [] };
  const tests = runTests(policy, skipsTests ? [] : (policy.tests ?? []), now, tools);
  if (wantsVerdicts) enter("the rules for which streams wait");
  const untilVerdict = wantsVerdicts ? verdictRulesOf(policy, { packs, models }) : [];
  return { document: canonicalPolicy(policy), ...common, tests, untilVerdict };
}

/** Runs tests of a policy one after the other, naming each. */
export function runTests(
  policy: PolicyDocument,
  tests: readonly PolicyTest[],
  now: Date,
  { packs, models, enter }: Tools,
): PolicyTestResult[] {
  const bench = new TestBench(policy, { now, packs, models });
  return tests.map((test) => {
    enter(`the test "${test.name}" of the policy ${policy.metadata.name}`);
    return bench.run(test);
  });
}

const nowhereOf: MatchPlaces = { envs: nowhere, agents: nowhere };

function placesOf({ match }: PolicyDocument, source: string | null): MatchPlaces {
  const tree = source === null || match === undefined ? undefined : treeFromText(source, new Problems());
  if (tree === undefined) return nowhereOf;
  return { envs: rangeAt(tree, ["match", "envs"]), agents: rangeAt(tree, ["match", "agents"]) };
}
