// Weakened copies of the access rules. The matrix has to notice every one of them; one that it does not notice is a hole in
// the matrix. Facts of methods are weakened where the running server reads them, and put back afterwards.

import type { DescMethod } from "@bufbuild/protobuf";
import { type Access, CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { methodFacts } from "../../../src/kit/options.ts";
import { callName } from "../dialect.ts";

/** One rule, weakened. */
export interface Mutant {
  readonly name: string;
  readonly method: DescMethod;
  /** Weakens the rule; returns what puts it back. */
  weaken(): () => void;
}

const tokenKinds = [CredentialKind.RUNTIME, CredentialKind.CI, CredentialKind.ADMIN];
const fields = ["orgField", "projectField", "envField"] as const;

/** Every weakening of one option of one method. */
export function mutantsOf(methods: readonly DescMethod[]): Mutant[] {
  return methods.flatMap((method) => {
    const { access, entitlement } = methodFacts(method);
    const mutant = (name: string, weaken: Mutant["weaken"]) => ({
      name: `${callName(method)} ${name}`,
      method,
      weaken,
    });
    return [
      ...tokenKinds
        .filter((kind) => !access.kinds.includes(kind))
        .map((kind) =>
          mutant(`lets ${CredentialKind[kind]} tokens call`, () => set(access, "kinds", [...access.kinds, kind])),
        ),
      ...fields
        .filter((field) => access[field] !== "")
        .map((field) => mutant(`forgets its ${field}`, () => set(access, field, ""))),
      ...(entitlement.openWhenBillingBlocked
        ? []
        : [mutant("forgets the bill", () => set(entitlement, "openWhenBillingBlocked", true))]),
      ...(access.public ? [] : [mutant("is public", () => set<Access, "public">(access, "public", true))]),
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
