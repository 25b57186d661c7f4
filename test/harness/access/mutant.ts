// Weakened copies of the access rules. The matrix has to notice every one of them; one that it does not notice is a
// hole in the matrix. Facts of methods are weakened where the running server reads them, and put back afterwards.

import type { DescMethod } from "@bufbuild/protobuf";
import { type Access, CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { methodFacts } from "../../../src/kit/rpc/options.ts";
import { callName } from "../vector/dialect.ts";

/** One rule, weakened. */
export interface Mutant {
  readonly name: string;
  readonly method: DescMethod;
  /** Weakens the rule; returns what puts it back. */
  weaken(): () => void;
}

const callerKinds = [
  { kind: CredentialKind.RUNTIME, name: "runtime" },
  { kind: CredentialKind.CI, name: "ci" },
  { kind: CredentialKind.ADMIN, name: "admin" },
];

/** Fields that bound the reach, each with the kinds that it bounds. */
const bounds = [
  {
    field: "orgField",
    kinds: [CredentialKind.RUNTIME, CredentialKind.CI, CredentialKind.ADMIN, CredentialKind.MEMBER],
  },
  { field: "projectField", kinds: [CredentialKind.RUNTIME, CredentialKind.CI] },
  { field: "envField", kinds: [CredentialKind.RUNTIME] },
] as const;

/** Every weakening of one option of one method. */
export function mutantsOf(methods: readonly DescMethod[]): Mutant[] {
  return methods.flatMap((method) => {
    const { access, entitlement } = methodFacts(method);
    if (access.public) return []; // nothing to weaken
    const mutant = (name: string, weaken: Mutant["weaken"]) => ({
      name: `${callName(method)} ${name}`,
      method,
      weaken,
    });
    return [
      ...callerKinds
        .filter(({ kind }) => !access.kinds.includes(kind))
        .map(({ kind, name }) =>
          mutant(`lets ${name} credentials call`, () => set(access, "kinds", [...access.kinds, kind])),
        ),
      ...bounds
        .filter(({ field, kinds }) => access[field] !== "" && kinds.some((kind) => access.kinds.includes(kind)))
        .map(({ field }) => mutant(`forgets its ${field}`, () => set(access, field, ""))),
      ...(entitlement.openWhenBillingBlocked || access.account
        ? []
        : [mutant("forgets the bill", () => set(entitlement, "openWhenBillingBlocked", true))]),
      ...(access.leastRole > Role.VIEWER
        ? [mutant("lets viewers call", () => set(access, "leastRole", Role.VIEWER))]
        : []),
      mutant("is public", () => set<Access, "public">(access, "public", true)),
    ];
  });
}

function set<T extends object, K extends keyof T>(target: T, key: K, value: T[K]): () => void {
  const before = target[key];
  target[key] = value;
  return () => {
    target[key] = before;
  };
}
