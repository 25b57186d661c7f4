// A policy with the tests of its test files, as one document. The server gets this document, so that no version of the
// policy whose tests fail can be published.

import { isSeq, parseDocument } from "yaml";
import type { PolicyTest } from "../../runtime/engine/policy/document.ts";
import type { JudgingFile } from "./evaluate.ts";
import { type PolicyFile, parsedPolicy, requirePolicies } from "./policy-file.ts";

/**
 * The policy with the tests of these files after its own. Comments stay; without such files, the document stays as it
 * is.
 */
export function withSuites(file: JudgingFile, suites: readonly JudgingFile[], now: Date): JudgingFile {
  const own = suites.filter(({ policy }) => policy.metadata.name === file.policy.metadata.name);
  if (own.length === 0) return file;
  const source = appended(
    file.source,
    own.flatMap(({ policy }) => policy.tests ?? []),
  );
  const merged: PolicyFile = { path: file.path, source, ...parsedPolicy(source, now) };
  const [found] = requirePolicies([merged]);
  if (found === undefined) throw new Error("one file is one policy");
  return found;
}

function appended(source: string, tests: readonly PolicyTest[]): string {
  const document = parseDocument(source, { version: "1.2", schema: "core" });
  const present = document.get("tests");
  if (isSeq(present))
    for (const test of tests) present.add(document.createNode(test, { aliasDuplicateObjects: false }));
  else document.set("tests", document.createNode(tests, { aliasDuplicateObjects: false }));
  return document.toString({ lineWidth: 0 });
}
