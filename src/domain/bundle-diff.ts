// What activating a bundle would change, policy by policy. A policy version never changes, so equal versions are equal
// policies.

import type { BundledPolicy } from "../store/bundle.ts";

/** Two versions of one policy. */
export interface ChangedPolicy {
  readonly policy: BundledPolicy;
  readonly activeVersion: number;
}

/** How a bundle's policies differ from those of the active bundle. */
export interface BundleDiff {
  readonly activeVersion: number;
  readonly added: readonly BundledPolicy[];
  readonly removed: readonly BundledPolicy[];
  readonly changed: readonly ChangedPolicy[];
}

interface Versioned {
  readonly version: number;
  readonly policies: readonly BundledPolicy[];
}

/** The difference of a bundle to the active one. */
export function diffToActive(bundle: Versioned, active: Versioned): BundleDiff {
  const own = byId(bundle.policies);
  const others = byId(active.policies);
  return {
    activeVersion: active.version,
    added: bundle.policies.filter(({ policy_id }) => !others.has(policy_id)),
    removed: active.policies.filter(({ policy_id }) => !own.has(policy_id)),
    changed: bundle.policies.flatMap((policy) => {
      const before = others.get(policy.policy_id);
      if (before === undefined || before.version === policy.version) return [];
      return [{ policy, activeVersion: before.version }];
    }),
  };
}

function byId(policies: readonly BundledPolicy[]): ReadonlyMap<string, BundledPolicy> {
  return new Map(policies.map((policy) => [policy.policy_id, policy]));
}
