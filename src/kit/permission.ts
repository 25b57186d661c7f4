// What an (access) option lets a credential do, apart from what the call names. The authorize interceptor refuses by it, and callers
// are told by it what they may do.

import type { DescService } from "@bufbuild/protobuf";
import { type Access, CredentialKind, Role } from "../../gen/policyguard/options/v1/options_pb.ts";
import { methodFacts } from "./options.ts";

/** A credential in an organization. */
export interface Holder {
  readonly kind: CredentialKind;
  /** A member's role; undefined for a token. */
  readonly role: Role | undefined;
}

/** What a credential lacks for a method; undefined when it lacks nothing. */
export function lackOf(access: Access, { kind, role }: Holder): "kind" | "role" | undefined {
  if (access.public) return undefined;
  if (!access.kinds.includes(kind)) return "kind";
  const needsRole = kind === CredentialKind.MEMBER && !access.account;
  return needsRole && (role ?? Role.UNSPECIFIED) < access.leastRole ? "role" : undefined;
}

/** The methods that a credential may call, as "<Service>/<Method>", in the order of the services. */
export function permittedMethods(services: readonly DescService[], holder: Holder): string[] {
  return services
    .flatMap((service) => service.methods)
    .filter((method) => lackOf(methodFacts(method).access, holder) === undefined)
    .map((method) => `${method.parent.name}/${method.name}`);
}
