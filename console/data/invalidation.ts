// Which lists a successful call makes stale. Every method that changes something is in this table; a test holds it
// against the `audit` options of the services.

import type { DescMethod } from "@bufbuild/protobuf";
import type { Query } from "@tanstack/react-query";
import { queryClient } from "./client.ts";

/** The key of the query for the signed-in person, which is no call by itself. */
export const meKey = "me";

/** Services whose answers depend on what a service changes, besides its own. */
const dependents: Readonly<Record<string, readonly string[]>> = {
  AccountService: [],
  AgentService: [],
  AlertService: [],
  // Marked traces become samples of a dataset.
  AnnotationService: ["DatasetService", "TraceService"],
  BenchmarkService: [],
  BillingService: ["OrganizationService"],
  // A policy says where it is active.
  BundleService: ["EnvironmentService", "PolicyService", "RuntimeInstanceService"],
  CalibrationService: [],
  DatasetService: [],
  DetectorBackendService: ["PolicyService"],
  EnvironmentService: ["BundleService", "ProjectService"],
  ErasureService: ["TraceService"],
  EvidenceService: [],
  GateService: ["BundleService", "EnvironmentService"],
  LanguageService: ["PolicyService"],
  ListService: ["PolicyService"],
  OrganizationService: ["AccountService"],
  OutputSchemaService: ["PolicyService"],
  // An override counts at its environment and comes with a new activation of the active version.
  OverrideService: ["BundleService", "EnvironmentService", "RuntimeInstanceService"],
  PackService: ["PolicyService"],
  PolicyService: [],
  ProjectService: ["EnvironmentService"],
  ReplayService: [],
  RetentionService: [],
  RuntimeInstanceService: [],
  ScimService: ["TeamService"],
  SigningKeyService: [],
  SsoService: [],
  // A role that changes takes what its bearer made with it, tokens among it.
  TeamService: ["AccountService", "TokenService"],
  TokenService: [],
  TraceService: [],
  WebhookService: [],
};

/** The services that the table knows. */
export const knownServices: readonly string[] = Object.keys(dependents);

/** The services whose answers are stale after a call of this method. */
export function staleAfter(method: DescMethod): readonly string[] {
  const own = method.parent.name;
  return [own, ...(dependents[own] ?? [])];
}

/** Marks what this method changed as stale. */
export async function invalidate(method: DescMethod): Promise<void> {
  const stale = new Set(staleAfter(method));
  const isStale = ({ queryKey }: Query) => {
    if (queryKey[0] === meKey) return stale.has("AccountService");
    const facts = queryKey[1] as { readonly serviceName?: string } | undefined;
    return stale.has(facts?.serviceName?.split(".").at(-1) ?? "");
  };
  // The first answer, which may be on its way and older than the change, would count as the newest.
  await queryClient.cancelQueries({ predicate: (query) => query.state.data === undefined && isStale(query) });
  await queryClient.invalidateQueries({ predicate: isStale });
}
