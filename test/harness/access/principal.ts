// Who calls in the access matrix. A new kind of caller is one entry here.

import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { Persona } from "../world.ts";

/** One kind of caller. */
export interface Principal {
  readonly name: string;
  readonly persona: Persona;
  /** What its credential is; undefined when it is no valid one. */
  readonly kind: CredentialKind | undefined;
  /** The organization that it belongs to: the one that is called, or the other one. */
  readonly home: "own" | "other";
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
];

function invalid(name: string, persona: Persona): Principal {
  return { name, persona, kind: undefined, home: "own", hasProject: false };
}
