// Policy documents of this repository: those that its pages show, its examples, and those of its vectors.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { isObject, type Json, type JsonObject } from "../json.ts";

/** A document as somebody wrote it. */
export interface Document {
  /** Where it comes from, and its number. */
  readonly name: string;
  readonly source: string;
}

/** All documents below the root of a checkout, each once, in an order that depends on nothing but the files. */
export function readDocuments(root: string): Document[] {
  const sources = new Map<string, string>();
  const add = (name: string, source: string) => {
    if (!sources.has(source)) sources.set(source, `${name} #${sources.size + 1}`);
  };
  for (const file of filesOf(root, "scripts/compare/policies/*.yaml"))
    add("own", readFileSync(join(root, file), "utf8"));
  for (const file of filesOf(root, "examples/**/*.yaml")) add(file, readFileSync(join(root, file), "utf8"));
  for (const file of filesOf(root, "docs/*.md")) {
    for (const [, block = ""] of readFileSync(join(root, file), "utf8").matchAll(/```yaml\n([\s\S]*?)```/g))
      add(file, block);
  }
  for (const file of filesOf(root, "test/vectors/{evaluate,stream,each}/**/*.json")) {
    const vector: Json = JSON.parse(readFileSync(join(root, file), "utf8"));
    for (const given of policiesIn(vector)) add(file.slice("test/vectors/".length), given);
  }
  for (const file of filesOf(root, "test/vectors/control/**/*.json")) {
    for (const found of documentsIn(JSON.parse(readFileSync(join(root, file), "utf8"))))
      add(file.slice("test/vectors/".length), found);
  }
  return [...sources].map(([source, name]) => ({ name, source }));
}

/** The policies that a vector of evaluations gives, with the lines that every policy has. */
function policiesIn(vector: Json): string[] {
  const given = isObject(vector) && Array.isArray(vector.policies) ? vector.policies : [];
  return given.flatMap((policy: Json) => {
    if (!isObject(policy) || !Array.isArray(policy.yaml)) return [];
    const text = policy.yaml.join("\n");
    const name = /^metadata:/m.test(text) ? "" : "metadata: {name: given}\n";
    return [`apiVersion: policyguard/v1\nkind: Policy\n${name}${text}\n`];
  });
}

/**
 * The document as an object under another name, for everybody; undefined when it is no policy that could be stored as
 * it is.
 */
export function published({ source }: Document, name: string): JsonObject | undefined {
  try {
    const read: Json = parse(source);
    if (!isObject(read) || read.kind !== "Policy" || !isObject(read.metadata)) return undefined;
    // A backend is a server beside the runtime, and none is there.
    if (/\bbackend\b/.test(source)) return undefined;
    // The same request is sent under other ids too.
    if (/evaluation_id/.test(source)) return undefined;
    const { match: _, ...rest } = read;
    return { ...rest, metadata: { ...read.metadata, name } };
  } catch {
    return undefined; // no YAML, which is what some vectors are about
  }
}

function documentsIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(documentsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === "document" && typeof member === "string") return [member];
    if (name === "document" && isObject(member)) return [stringify(member)];
    return documentsIn(member);
  });
}

function filesOf(root: string, pattern: string): string[] {
  return globSync(pattern, { cwd: root }).toSorted();
}
