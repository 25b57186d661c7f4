// Who calls in the access matrix. A new kind of caller is one entry here.

import { CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { MemberPersona, Persona } from "../vector/world.ts";

/** One kind of caller. */
export interface Principal {
  readonly name: string;
  readonly persona: Persona;
  /** What its credential is; undefined when it is no valid one. */
  readonly kind: CredentialKind | undefined;
  /** A member's role in its organization. */
  readonly role?: Role;
  /** The organization that it belongs to: the one that is called, the other one, or none any more. */
  readonly home: "own" | "other" | "none";
  /** Whether it reaches one project only. */
  readonly hasProject: boolean;
}

/** Every kind of caller. */
export const principals: readonly Principal[] = [
  invalid("nobody", "anonymous"),
  invalid("garbage", "garbage"),
  invalid("a token that nobody issued", "unknown"),
  invalid("an expired token", "expired"),
  invalid("a revoked token", "revoked"),
  { name: "runtime", persona: "runtime", kind: CredentialKind.RUNTIME, home: "own", hasProject: true },
  { name: "ci", persona: "ci", kind: CredentialKind.CI, home: "own", hasProject: true },
  { name: "admin", persona: "admin", kind: CredentialKind.ADMIN, home: "own", hasProject: false },
  { name: "another's admin", persona: "foreign", kind: CredentialKind.ADMIN, home: "other", hasProject: false },
  { name: "scim", persona: "scim", kind: CredentialKind.SCIM, home: "own", hasProject: false },
  member("viewer", Role.VIEWER),
  member("editor", Role.EDITOR),
  member("administrator", Role.ADMIN),
  member("owner", Role.OWNER),
  { ...member("removed", Role.UNSPECIFIED), name: "removed member", home: "none" },
  { ...member("foreign_owner", Role.OWNER), name: "another's owner", home: "other" },
];

function member(persona: MemberPersona, role: Role): Principal {
  return { name: persona, persona, kind: CredentialKind.MEMBER, role, home: "own", hasProject: false };
}

function invalid(name: string, persona: Persona): Principal {
  return { name, persona, kind: undefined, home: "own", hasProject: false };
}
