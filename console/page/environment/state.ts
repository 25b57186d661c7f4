import {
  type Activation,
  ActivationCause,
  ActivationCauseSchema,
  type Bundle,
  BundleState,
} from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { wireNames } from "../../data/wire-name.ts";
import { en } from "../../text/en.ts";

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

/** How a bundle was made, in words. */
export function sourceText({ source }: Pick<Bundle, "source">): string {
  const [, env, version] = /^promote:(.+)@(\d+)$/.exec(source) ?? [];
  if (env !== undefined) return en.environments.promotedFrom(env, Number(version));
  return en.environments.sources[source] ?? source;
}

/** Whether runtimes enforce it. */
export function isActive({ state }: Bundle): boolean {
  return state === BundleState.ACTIVE;
}

/** Why nobody, or not this person, can activate anything into the environment; undefined when they can. */
export function whyNotActivate(
  { isFrozen, isProtected }: { readonly isFrozen: boolean; readonly isProtected: boolean },
  role: string,
): string | undefined {
  if (isFrozen) return en.environments.isFrozen;
  return isProtected && role !== "admin" && role !== "owner" ? en.bundle.needsAdmin : undefined;
}

const causes = wireNames<ActivationCause>(ActivationCauseSchema);

/** What an activation did, in words. */
export function activationText({ cause, source, version, previousVersion = 0 }: Activation): string {
  if (cause === undefined) return en.common.none;
  if (cause === ActivationCause.PROMOTE) return en.environment.promoted(sourceText({ source }));
  if (cause === ActivationCause.ACTIVATE && version < previousVersion) return en.environment.back(previousVersion);
  if (cause === ActivationCause.ACTIVATE && version === previousVersion) return en.environment.again;
  return en.environment.causes[causes.nameOf(cause)] ?? "";
}
