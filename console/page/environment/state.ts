import { type Bundle, BundleState } from "../../../gen/policyguard/control/v1/bundle_pb.ts";

const names: Readonly<Record<BundleState, string>> = {
  [BundleState.UNSPECIFIED]: "",
  [BundleState.PUBLISHED]: "published",
  [BundleState.ACTIVE]: "active",
  [BundleState.SUPERSEDED]: "superseded",
  [BundleState.PURGED]: "purged",
};

/** The state of a bundle by its wire name. */
export function stateName({ state }: Bundle): string {
  return names[state] ?? "";
}

/** Whether runtimes enforce it. */
export function isActive({ state }: Bundle): boolean {
  return state === BundleState.ACTIVE;
}
