// The policy files of a command, and their content.

import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { parsePolicy } from "../../runtime/engine/policy/parse.ts";
import { nowhere, type PolicyProblem, Problems, type SourceRange } from "../../runtime/engine/policy/problem.ts";
import { type SourceNode, treeFromText } from "../../runtime/engine/policy/source-tree.ts";
import { rangeAt, type TreePath } from "../../runtime/engine/policy/tree-path.ts";
import { fileFailure, refusal, usageFailure } from "./failure.ts";
import { decode, readBytes } from "./file.ts";
import { ownPackSource } from "./pack-library.ts";

/** A file that was read as a policy. */
export interface PolicyFile {
  readonly path: string;
  readonly source: string;
  /** Undefined when a problem is an error. */
  readonly policy: PolicyDocument | undefined;
  readonly problems: readonly PolicyProblem[];
}

/** The files that were found, and the folders that were searched. */
export interface FoundFiles {
  readonly files: readonly string[];
  /** Files of tests, named …_test.yaml and the like. */
  readonly suites: readonly string[];
  readonly folders: readonly string[];
}

const maxFiles = 1000;
const maxFolders = 500;
// Far above the limit of a policy, so that the parser reports a policy that is too large.
const maxBytes = 8 * 1024 * 1024;
const policyName = /\.(?:ya?ml|json)$/i;

/** Whether a file of a folder is taken for a policy. */
export function isPolicyName(name: string): boolean {
  return policyName.test(name);
}

const suiteName = /_test\.(?:ya?ml|json)$/i;

/** Whether a file is taken for tests about policies of other files. */
export function isSuiteName(name: string): boolean {
  return suiteName.test(name);
}

/** The files that paths stand for: each file itself, and the policies in each folder, without hidden ones. */
export function findPolicyFiles(paths: readonly string[]): FoundFiles {
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const path of paths) {
    if (isFolder(path)) {
      const before = files.size;
      walk(path, files, folders);
      if (files.size === before) throw usageFailure(`${path}: the folder has no .yaml, .yml or .json file`);
    } else {
      files.add(path);
      folders.add(dirname(path));
    }
  }
  const all = [...files];
  return { files: all.filter((file) => !isSuiteName(file)), suites: all.filter(isSuiteName), folders: [...folders] };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw fileFailure(path, error);
  }
}

// Symbolic links inside a folder are not followed: they may form a circle, or lead out of the folder.
function walk(folder: string, files: Set<string>, folders: Set<string>): void {
  folders.add(folder);
  if (folders.size > maxFolders) throw usageFailure(`there are more than ${maxFolders} folders; name fewer`);
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path, files, folders);
    else if (entry.isFile() && isPolicyName(entry.name)) files.add(path);
    if (files.size > maxFiles) throw usageFailure(`there are more than ${maxFiles} files; name fewer`);
  }
}

/**
 * Reads a file as a policy. Problems of the policy are in the result; a file that cannot be read is a failure. With
 * `now`, the problems include whatever has expired by then.
 */
export function readPolicyFile(path: string, now?: Date): PolicyFile {
  const source = decode(readBytes(path, maxBytes), path);
  return { path, source, ...parsedPolicy(source, now) };
}

/** The policy in a text, and its problems. */
export function parsedPolicy(source: string, now?: Date): Pick<PolicyFile, "policy" | "problems"> {
  const { policy, problems } = parsePolicy(source, catalog, ownPackSource, now);
  return { policy, problems };
}

/** Reads files as policies, and warns where two have one name: on a server they would be one policy. */
export function readPolicyFiles(paths: readonly string[], now?: Date): PolicyFile[] {
  const first = new Map<string, string>();
  return paths.map((path) => {
    const file = readPolicyFile(path, now);
    const name = file.policy?.metadata.name;
    const other = name === undefined ? undefined : first.get(name);
    if (name !== undefined && other === undefined) first.set(name, path);
    if (other === undefined) return file;
    const message = `${other} has the name "${name}" too; on a server they are one policy`;
    const at = ["metadata", "name"];
    const about = { code: "duplicate_name", path: "metadata.name", message, severity: "warning" } as const;
    return { ...file, problems: [...file.problems, { ...about, ...placeIn(file, at) }] };
  });
}

/** The place of a value in the file. */
function placeIn(file: Pick<PolicyFile, "source">, path: TreePath): SourceRange {
  return placesIn(file, [path])[0] ?? nowhere;
}

/** The places of values in the file. */
export function placesIn({ source }: Pick<PolicyFile, "source">, paths: readonly TreePath[]): SourceRange[] {
  const tree: SourceNode | undefined = treeFromText(source, new Problems());
  return paths.map((path) => (tree === undefined ? nowhere : rangeAt(tree, path)));
}

/** Whether a problem makes the file unusable. */
export function isValid({ policy }: PolicyFile): boolean {
  return policy !== undefined;
}

/** The policies in files that all have to be valid. */
export function requirePolicies(files: readonly PolicyFile[]): (PolicyFile & { readonly policy: PolicyDocument })[] {
  return files.map((file) => {
    const { path, policy, problems } = file;
    if (policy === undefined) throw invalid(path, problems);
    return { ...file, policy };
  });
}

function invalid(path: string, problems: readonly PolicyProblem[]) {
  const errors = problems.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const what = first === undefined ? "not a policy" : `${first.path === "" ? "" : `${first.path}: `}${first.message}`;
  const place = first === undefined || first.line === 0 ? "" : `:${first.line}:${first.column}`;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return refusal("policy_invalid", `${path}${place}: ${what}${more}`, {
    hint: `\`policy-guard validate ${path}\` shows all of it.`,
  });
}
