// The rules of a policy whose conditions read what no record keeps, so that their values have to be recorded.

import { type ConditionLeaf, type FactKind, leavesOf, neverRecorded, treeOf } from "../policy/condition-tree.ts";
import type { Lists } from "../policy/list.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { CompiledRule } from "../policy-plan/compiled-policy.ts";
import { conditionDigest, digestKey } from "./record-digest.ts";

/** A part of a condition whose value is recorded, and the lists that it reads. */
export interface WatchedCondition {
  readonly leaf: ConditionLeaf;
  readonly lists: Lists;
  /** The digests of the part by the name of the detector that it is asked about, as far as they were needed. */
  readonly digests: Map<string, WatchedDigest>;
}

/** A digest, and the same as text. */
export interface WatchedDigest {
  readonly digest: Uint8Array;
  readonly key: string;
}

/** The digest of a part in an environment, for a finding of this detector; "" for none. */
export function digestOf(
  { leaf, lists, digests }: WatchedCondition,
  environment: string,
  detector: string,
): WatchedDigest {
  // An engine has one environment, and its policies are nobody else's.
  let known = digests.get(detector);
  if (known === undefined) {
    const digest = conditionDigest(leaf, { lists, environment, detector });
    known = { digest, key: digestKey(digest) };
    digests.set(detector, known);
  }
  return known;
}

/** A rule with the parts of its conditions, and of exemptions from it, whose values are recorded. */
export interface WatchedRule {
  readonly rule: CompiledRule;
  readonly conditions: readonly WatchedCondition[];
}

const known = new WeakMap<ApplicablePolicy, readonly WatchedRule[]>();

/** The rules of a policy with conditions whose values are recorded. */
export function watchedRulesOf(applicable: ApplicablePolicy): readonly WatchedRule[] {
  let watched = known.get(applicable);
  if (watched === undefined) {
    watched = watchedIn(applicable);
    known.set(applicable, watched);
  }
  return watched;
}

function watchedIn({ policy, lists, outerLists }: ApplicablePolicy): WatchedRule[] {
  const exempting = policy.exemptions.flatMap(({ when, level }) => {
    const declared = level === 0 ? policy.lists : (policy.outerLists[level - 1] ?? {});
    const resolved = level === 0 ? lists : (outerLists[level - 1] ?? {});
    return leavesOf(treeOf(when, declared))
      .filter(isWatched)
      .map((leaf) => ({ leaf, lists: resolved, digests: new Map() }));
  });
  return policy.rules.flatMap((rule) => {
    const own = [rule.when, rule.unless].flatMap((condition) =>
      condition === undefined ? [] : leavesOf(treeOf(condition, policy.lists)).filter(isWatched),
    );
    const conditions = [...own.map((leaf) => ({ leaf, lists, digests: new Map() })), ...exempting];
    return conditions.length === 0 ? [] : [{ rule, conditions }];
  });
}

/** A part that reads all findings depends on the thresholds of its policy, so its value means nothing elsewhere. */
function isWatched({ kinds, condition: { reads } }: ConditionLeaf): boolean {
  return !reads.has("findings") && [...kinds].some((kind: FactKind) => neverRecorded.has(kind));
}
