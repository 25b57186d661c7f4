// Which lists a successful call makes stale. Every method that changes something is in this table; a test holds it
// against the `audit` options of the services.

import type { DescMethod } from "@bufbuild/protobuf";
import { queryClient } from "./client.ts";

/** Services whose answers depend on what a service changes, besides its own. */
const dependents: Readonly<Record<string, readonly string[]>> = {
  AccountService: [],
  AnnotationService: ["TraceService"],
  BundleService: ["EnvironmentService", "RuntimeInstanceService"],
  EnvironmentService: ["BundleService", "ProjectService"],
  OrganizationService: ["AccountService"],
  PackService: ["PolicyService"],
  PolicyService: [],
  ProjectService: ["EnvironmentService"],
  ReplayService: [],
  RuntimeInstanceService: [],
  TeamService: ["AccountService"],
  TokenService: [],
};

/** The services whose answers are stale after a call of this method. */
export function staleAfter(method: DescMethod): readonly string[] {
  const own = method.parent.name;
  return [own, ...(dependents[own] ?? [])];
}

/** Marks what this method changed as stale. */
export async function invalidate(method: DescMethod): Promise<void> {
  const stale = new Set(staleAfter(method));
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => {
      const facts = queryKey[1] as { readonly serviceName?: string } | undefined;
      return stale.has(facts?.serviceName?.split(".").at(-1) ?? "");
    },
  });
}
