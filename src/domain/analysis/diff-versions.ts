// Compares two versions of a policy, and finds requests that show the difference.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Counterexample, findCounterexamples } from "../../../runtime/engine/authoring/counterexamples.ts";
import { diffPolicies, type PolicyDiff } from "../../../runtime/engine/authoring/diff.ts";
import type { TestRunOptions } from "../../../runtime/engine/authoring/test-runner.ts";
import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument } from "../../../runtime/engine/policy/document.ts";
import { canonicalPolicy, parsePolicy } from "../../../runtime/engine/policy/parse.ts";
import { PolicyInvalid } from "../../../runtime/engine/policy/problem.ts";
import { policyInvalid } from "./policy-document.ts";
import type { Tools } from "./tools.ts";

/** Two stored documents of one policy. */
export interface VersionPair {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly now: Date;
}

/** A stored document, and one that somebody may store as its next version. */
export interface DraftPair {
  readonly before: JsonObject;
  readonly draft: JsonValue;
  readonly now: Date;
}

/** How they differ. */
export interface DiffWithCounterexamples extends PolicyDiff {
  readonly counterexamples: readonly Counterexample[];
}

/** Compares two versions, and evaluates the requests of the tests of both. */
export function diffVersions({ before, after, now }: VersionPair, { packs, enter }: Tools): DiffWithCounterexamples {
  const [old, next] = [asPolicy(before), asPolicy(after)];
  enter("the tests of both versions");
  const counterexamples = counterexamplesOf(old, next, { now, packs });
  enter("comparing the versions");
  return { ...diffPolicies(old, next, catalog, packs), counterexamples };
}

/** Compares a version with a document that is not stored. Throws policy_invalid for one with errors. */
export function diffDraft({ before, draft, now }: DraftPair, tools: Tools): DiffWithCounterexamples {
  tools.enter("reading the document");
  const { policy, problems } = parsePolicy(draft, catalog, tools.packs, now);
  if (policy === undefined) throw policyInvalid(problems);
  return diffVersions({ before, after: canonicalPolicy(policy), now }, tools);
}

/** A stored document as a policy: it was checked before it was stored. */
export function asPolicy(document: JsonObject): PolicyDocument {
  return document as unknown as PolicyDocument; // the interface only names the keys
}

/** None for a version that an earlier release accepted and this one cannot run. */
export function counterexamplesOf(
  before: PolicyDocument,
  after: PolicyDocument,
  options: TestRunOptions,
  laterPacks = options.packs,
): readonly Counterexample[] {
  try {
    return findCounterexamples(before, after, options, laterPacks);
  } catch (error) {
    if (error instanceof PolicyInvalid) return [];
    throw error;
  }
}
