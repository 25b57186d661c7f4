// What an (access) option lets a credential do, whichever resources a call names. The authorize interceptor refuses by
// it, and the API tells callers by it what they may do.

import type { DescService } from "@bufbuild/protobuf";
import { type Access, CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { methodFacts } from "./options.ts";

/** A credential in an organization. */
export interface Holder {
  readonly kind: CredentialKind;
  /** A member's role; undefined for a token. */
  readonly role: Role | undefined;
  /**
   * Whether it is a session that began at an organization's identity provider, which reaches that organization only.
   */
  readonly isProvided?: boolean;
}

/**
 * What a credential lacks for a method; undefined when it lacks nothing. "account": an identity provider vouches for
 * its organization only, not for the account with its password and its other organizations.
 */
export function lackOf(
  access: Access,
  { kind, role, isProvided = false }: Holder,
): "kind" | "role" | "account" | undefined {
  if (access.public) return undefined;
  if (!access.kinds.includes(kind)) return "kind";
  if (access.account) return isProvided && !access.providerSession ? "account" : undefined;
  return kind === CredentialKind.MEMBER && (role ?? Role.UNSPECIFIED) < access.leastRole ? "role" : undefined;
}

/** The methods that a credential may call, as "<Service>/<Method>", in the order of the services. */
export function permittedMethods(services: readonly DescService[], holder: Holder): string[] {
  return services
    .flatMap((service) => service.methods)
    .filter((method) => lackOf(methodFacts(method).access, holder) === undefined)
    .map((method) => `${method.parent.name}/${method.name}`);
}
