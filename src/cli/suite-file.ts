// Files of tests (`…_test.yaml`), each with the policy that it is about: one of those that the command was given, else
// one that lies beside it.

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parsePolicyTests, policyOfTests } from "../../runtime/engine/authoring/test-file.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { didYouMean, nowhere, type PolicyProblem, Problems } from "../../runtime/engine/policy/problem.ts";
import { treeFromText } from "../../runtime/engine/policy/source-tree.ts";
import { rangeAt } from "../../runtime/engine/policy/tree-path.ts";
import { decode, readBytes } from "./file.ts";
import { ownPackSource } from "./pack-library.ts";
import { isPolicyName, isSuiteName, type PolicyFile, readPolicyFile } from "./policy-file.ts";

const maxBytes = 8 * 1024 * 1024;

/** Reads files of tests. Each becomes its policy, with these tests instead of the policy's own. */
export function readSuites(paths: readonly string[], policies: readonly PolicyFile[]): PolicyFile[] {
  return paths.map((path) => {
    const source = decode(readBytes(path, maxBytes), path);
    const found = policyFor(policyOfTests(source), path, policies);
    return { path, source, ...held(source, found) };
  });
}

function held(source: string, found: PolicyFile | string): Pick<PolicyFile, "policy" | "problems"> {
  if (typeof found === "string") return { policy: undefined, problems: [aboutPolicy(source, found)] };
  if (found.policy === undefined) {
    return { policy: undefined, problems: [aboutPolicy(source, `the policy in ${found.path} is not valid`)] };
  }
  const { tests, problems } = parsePolicyTests(source, found.policy, { packs: ownPackSource });
  return { policy: tests === undefined ? undefined : { ...found.policy, tests }, problems };
}

/** The file with the policy that the tests are about, or why there is none. */
function policyFor(name: string | undefined, path: string, given: readonly PolicyFile[]): PolicyFile | string {
  if (name === undefined) return "a file of tests has `kind: PolicyTests` and the name of a policy";
  const found = given.find(({ policy }) => policy?.metadata.name === name) ?? besides(path, name);
  if (found !== undefined) return found;
  const names = given.flatMap(({ policy }) => policy?.metadata.name ?? []);
  return [`there is no policy "${name}" among the files, nor beside this one`, didYouMean(name, names)]
    .filter((part) => part !== undefined)
    .join("; ");
}

function besides(path: string, name: string): PolicyFile | undefined {
  const folder = dirname(path);
  const names = readdirSync(folder).filter((each) => isPolicyName(each) && !isSuiteName(each));
  return names.map((each) => readPolicyFile(join(folder, each))).find(({ policy }) => nameOf(policy) === name);
}

function nameOf(policy: PolicyDocument | undefined): string | undefined {
  return policy?.metadata.name;
}

function aboutPolicy(source: string, message: string): PolicyProblem {
  const tree = treeFromText(source, new Problems());
  const place = tree === undefined ? nowhere : rangeAt(tree, ["policy"]);
  return { code: "unknown_policy", ...place, path: "policy", message, severity: "error" };
}
