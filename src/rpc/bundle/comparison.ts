// How two bundles differ, as a message.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BundleComparisonSchema } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import type { BundleComparison } from "../../domain/bundle/compare.ts";
import { changeMessage } from "../policy/change.ts";

/** The comparison as a message. */
export function comparisonMessage(comparison: BundleComparison): MessageInitShape<typeof BundleComparisonSchema> {
  const { base, bundle, strictness, reasons, policies, lists, parts } = comparison;
  return {
    base: referenceMessage(base),
    bundle: referenceMessage(bundle),
    strictness,
    reasons: [...reasons],
    policies: policies.map(({ changes, counterexamples, ...policy }) => ({
      ...policy,
      reasons: [...policy.reasons],
      changes: changes.map(changeMessage),
      witnesses: counterexamples.map((counterexample) => ({ ...counterexample })),
    })),
    lists: lists.map(({ addedItems, removedItems, ...list }) => ({
      ...list,
      addedItems: [...addedItems],
      removedItems: [...removedItems],
    })),
    parts: parts.map(({ path, activeDigest: baseDigest, digest }) => ({ path, baseDigest, digest })),
  };
}

function referenceMessage({ environment, version, contentDigest }: BundleComparison["bundle"]) {
  return { environment, version, contentDigest };
}
