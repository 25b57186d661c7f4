// What activating a bundle would change, by policies and by parts of the content. A policy version never changes, so
// equal versions are equal policies. The packs that they extend, lists, schemas, backends and weights have no version
// and are compared by their bytes.

import type { BundledPolicy, PartReference } from "../../store/bundle/bundle.ts";

/** Two versions of one policy. */
export interface ChangedPolicy {
  readonly policy: BundledPolicy;
  readonly activeVersion: number;
}

/** A part that two bundles do not have in common. */
export interface ChangedPart {
  readonly path: string;
  /** Digest in the active bundle; undefined when it has no such part. */
  readonly activeDigest: string | undefined;
  /** Digest in this bundle; undefined when it has no such part. */
  readonly digest: string | undefined;
}

/** How a bundle differs from the active one. */
export interface BundleDiff {
  readonly activeVersion: number;
  readonly added: readonly BundledPolicy[];
  readonly removed: readonly BundledPolicy[];
  readonly changed: readonly ChangedPolicy[];
  /** In the order of their paths. */
  readonly parts: readonly ChangedPart[];
}

interface Versioned {
  readonly version: number;
  readonly policies: readonly BundledPolicy[];
  readonly parts: readonly Pick<PartReference, "path" | "digest">[];
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
    parts: changedParts(bundle.parts, active.parts),
  };
}

/** The parts that one of two bundles does not have, or has with other bytes; the second one is the earlier. */
export function changedParts(own: Versioned["parts"], active: Versioned["parts"]): ChangedPart[] {
  const digests = new Map(own.map(({ path, digest }) => [path, digest]));
  const before = new Map(active.map(({ path, digest }) => [path, digest]));
  return [...new Set([...digests.keys(), ...before.keys()])]
    .filter((path) => digests.get(path) !== before.get(path))
    .sort()
    .map((path) => ({ path, activeDigest: before.get(path), digest: digests.get(path) }));
}

function byId(policies: readonly BundledPolicy[]): ReadonlyMap<string, BundledPolicy> {
  return new Map(policies.map((policy) => [policy.policy_id, policy]));
}
