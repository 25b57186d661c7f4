// Plans the application of a guard pack: the policy becomes the pack's document with the given values, merged with the
// changes that people made by hand.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { diffPolicies, type PolicyDiff } from "../../../runtime/engine/authoring/diff.ts";
import { isSameJson } from "../../../runtime/engine/authoring/pack/digest.ts";
import { instantiatePack } from "../../../runtime/engine/authoring/pack/instantiate.ts";
import { mergeDocuments } from "../../../runtime/engine/authoring/pack/merge.ts";
import { type Pack, PackParametersInvalid, type PackPolicy } from "../../../runtime/engine/authoring/pack/pack.ts";
import type { ModeName, PolicyDocument } from "../../../runtime/engine/policy/document.ts";
import { PolicyInvalid } from "../../../runtime/engine/policy/problem.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import { type CheckedDocument, checkPolicy } from "./check-policy.ts";
import { policyInvalid } from "./policy-document.ts";
import type { Tools } from "./tools.ts";

/** The rule for changes that people made by hand. */
export type ConflictRule = "fail" | "merge" | "replace";

/** A pack, its values, and the policy that it is applied to. */
export interface PackUse {
  readonly packId: string;
  /** The exact version. */
  readonly version: string;
  readonly parameters: JsonObject;
  readonly mode: ModeName;
  readonly name: string;
  /** The document that the pack made last; undefined when none is kept. */
  readonly base: JsonObject | undefined;
  /** The present document of the policy; undefined when there is none. */
  readonly current: JsonObject | undefined;
  readonly conflict: ConflictRule;
  readonly now: Date;
}

/** The result of the plan. */
export interface PackPlan {
  readonly made: PackPolicy;
  readonly checked: CheckedDocument;
  readonly document: JsonObject;
  readonly skipped: readonly string[];
  readonly isChanged: boolean;
  /** Whether the document is what the pack made last. */
  readonly isMadeAnew: boolean;
  readonly policyName: string;
  readonly createdRules: readonly string[];
  readonly removedRules: readonly string[];
  readonly diff: PolicyDiff;
}

/**
 * Plans an application. Throws a Fault for values that make no valid policy, and for changes by hand that the rule
 * refuses.
 */
export function planPack(use: PackUse, tools: Tools): PackPlan {
  const { packId, version, base, current, conflict, now } = use;
  const pack = tools.library().find(packId, version);
  if (pack === undefined) throw notFound("version of this pack");
  tools.enter(`filling in the pack ${packId}`);
  const made = instantiate(pack, use);
  const settled = settle(made.document, base, current, conflict);
  const checked = checkPolicy({ document: settled.document, now }, tools);
  const { document } = checked;
  if (document === undefined) throw policyInvalid(checked.problems);
  tools.enter("comparing the versions");
  return {
    ...{ made, checked, document, skipped: settled.skipped },
    isChanged: current === undefined || !isSameJson(document, current),
    isMadeAnew: base !== undefined && isSameJson(base, made.document),
    ...changes(document, current),
  };
}

function instantiate(pack: Pack, { parameters, mode, name }: PackUse): PackPolicy {
  try {
    return instantiatePack(pack, { parameters, mode, name });
  } catch (error) {
    if (error instanceof PackParametersInvalid) {
      throw validationFailed(error.problems.map(({ path, message }) => ({ field: path, message })));
    }
    if (error instanceof PolicyInvalid) throw policyInvalid(error.problems);
    throw error;
  }
}

/** The document that the policy will have. `base` is the one that the pack made last, `current` the present one. */
function settle(
  made: JsonObject,
  base: JsonObject | undefined,
  current: JsonObject | undefined,
  conflict: ConflictRule,
): { readonly document: JsonObject; readonly skipped: readonly string[] } {
  if (current === undefined || conflict === "replace") return { document: made, skipped: [] };
  if (base !== undefined && isSameJson(current, base)) return { document: made, skipped: [] };
  if (base !== undefined && isSameJson(made, base)) return { document: current, skipped: [] };
  if (conflict === "merge") return mergeDocuments(base ?? {}, current, made);
  throw new Fault(
    Reason.CONFLICT,
    base === undefined
      ? "a policy with this name exists that no pack made; set conflict to merge or replace, or rename that policy"
      : "the policy was changed after the pack was applied; set conflict to merge or replace",
  );
}

function changes(document: JsonObject, current: JsonObject | undefined) {
  // Both are checked documents; the interface only names the keys.
  const now = document as unknown as PolicyDocument;
  const old = current === undefined ? { ...now, rules: [], exemptions: [] } : (current as unknown as PolicyDocument);
  const [before, after] = [old, now].map(({ rules }) => rules.map(({ id }) => id)) as [string[], string[]]; // two in, two out
  return {
    policyName: now.metadata.name,
    createdRules: after.filter((id) => !before.includes(id)),
    removedRules: before.filter((id) => !after.includes(id)),
    diff: diffPolicies(old, now),
  };
}
