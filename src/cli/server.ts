// Typed clients of a control plane, and the look-ups that several commands need.

import { type Client, Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorDetailSchema } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { AnnotationService } from "../../gen/policyguard/control/v1/annotation_service_pb.ts";
import { BenchmarkService } from "../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { BundleService } from "../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { CalibrationService } from "../../gen/policyguard/control/v1/calibration_service_pb.ts";
import { DatasetService } from "../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { EnvironmentService } from "../../gen/policyguard/control/v1/environment_service_pb.ts";
import { EvidenceService } from "../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { GateService } from "../../gen/policyguard/control/v1/gate_service_pb.ts";
import { OrganizationService } from "../../gen/policyguard/control/v1/organization_service_pb.ts";
import { OverrideService } from "../../gen/policyguard/control/v1/override_service_pb.ts";
import { PackService } from "../../gen/policyguard/control/v1/pack_service_pb.ts";
import type { PolicySummary } from "../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { Project } from "../../gen/policyguard/control/v1/project_pb.ts";
import { ProjectService } from "../../gen/policyguard/control/v1/project_service_pb.ts";
import { ReplayService } from "../../gen/policyguard/control/v1/replay_service_pb.ts";
import { RuntimeInstanceService } from "../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { TeamService } from "../../gen/policyguard/control/v1/team_service_pb.ts";
import { TokenService } from "../../gen/policyguard/control/v1/token_service_pb.ts";
import { TraceService } from "../../gen/policyguard/control/v1/trace_service_pb.ts";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import { tokenKind } from "../kit/crypto/token.ts";
import { productVersion } from "../kit/process/product-folder.ts";
import type { Options, Surroundings, Values } from "./command.ts";
import { refusal, usageFailure } from "./failure.ts";
import { isUnreachable } from "./server-failure.ts";
import { type Connection, readConnection } from "./settings.ts";

/** Options of every command that calls a server about an organization. */
export const serverOptions = {
  org: { type: "string", value: "ID", help: "The organization; default: POLICY_GUARD_ORG, else that of the login." },
} as const satisfies Options;

/** A control plane. */
export interface Server {
  readonly connection: Connection;
  readonly annotations: Client<typeof AnnotationService>;
  readonly benchmarks: Client<typeof BenchmarkService>;
  readonly bundles: Client<typeof BundleService>;
  readonly calibrations: Client<typeof CalibrationService>;
  readonly datasets: Client<typeof DatasetService>;
  readonly environments: Client<typeof EnvironmentService>;
  readonly evidence: Client<typeof EvidenceService>;
  readonly gates: Client<typeof GateService>;
  readonly organizations: Client<typeof OrganizationService>;
  readonly overrides: Client<typeof OverrideService>;
  readonly packs: Client<typeof PackService>;
  readonly policies: Client<typeof PolicyService>;
  readonly projects: Client<typeof ProjectService>;
  readonly replays: Client<typeof ReplayService>;
  readonly runtimes: Client<typeof RuntimeInstanceService>;
  readonly team: Client<typeof TeamService>;
  readonly tokens: Client<typeof TokenService>;
  readonly traces: Client<typeof TraceService>;
}

/** A control plane, and the organization that a command is about. */
export interface Organization extends Server {
  readonly orgId: string;
}

const timeoutMs = 30_000;
const pageSize = 200;
const maxPages = 500;

/** Clients for a connection. */
export function serverAt(connection: Connection): Server {
  const { url: baseUrl, token } = connection;
  const introduce: Interceptor = (next) => (request) => {
    request.header.set("Authorization", `Bearer ${token}`);
    request.header.set("User-Agent", `policy-guard/${productVersion()}`);
    return next(request).catch(async (error: unknown) => {
      const failure = ConnectError.from(error);
      const isAnswered = failure.findDetails(ErrorDetailSchema).length > 0 || isUnreachable(failure);
      if (isAnswered || !(await isRuntime(baseUrl))) throw failure;
      throw new ConnectError(`${baseUrl} is a runtime, and a control plane is needed`, failure.code);
    });
  };
  const transport = createConnectTransport({
    baseUrl,
    httpVersion: "1.1",
    defaultTimeoutMs: timeoutMs,
    interceptors: [introduce],
  });
  return {
    connection,
    annotations: createClient(AnnotationService, transport),
    benchmarks: createClient(BenchmarkService, transport),
    calibrations: createClient(CalibrationService, transport),
    bundles: createClient(BundleService, transport),
    datasets: createClient(DatasetService, transport),
    environments: createClient(EnvironmentService, transport),
    evidence: createClient(EvidenceService, transport),
    gates: createClient(GateService, transport),
    organizations: createClient(OrganizationService, transport),
    overrides: createClient(OverrideService, transport),
    packs: createClient(PackService, transport),
    policies: createClient(PolicyService, transport),
    projects: createClient(ProjectService, transport),
    replays: createClient(ReplayService, transport),
    runtimes: createClient(RuntimeInstanceService, transport),
    team: createClient(TeamService, transport),
    tokens: createClient(TokenService, transport),
    traces: createClient(TraceService, transport),
  };
}

const probeTimeoutMs = 5_000;

/** Whether a runtime answers there: control planes do not serve the evaluate paths. No credential is sent. */
async function isRuntime(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/v1/evaluate/bundle`, { signal: AbortSignal.timeout(probeTimeoutMs) });
    const { detail } = (await answer.json()) as { readonly detail?: { readonly error?: unknown } | null };
    return answer.status !== 404 && typeof detail?.error === "string";
  } catch {
    return false;
  }
}

/** The server of the environment or the login. */
export function openServer({ env }: Surroundings): Server {
  return serverAt(readConnection(env));
}

/** The server and the organization that a command is about. */
export async function openOrganization(
  { org }: Values<typeof serverOptions>,
  world: Surroundings,
): Promise<Organization> {
  const server = openServer(world);
  return { ...server, orgId: org ?? server.connection.orgId ?? (await onlyOrganization(server)) };
}

/** The organization of a token, or of a person who belongs to only one. */
export async function onlyOrganization({ connection, organizations, tokens }: Server): Promise<string> {
  if (tokenKind(connection.token) !== CredentialKind.MEMBER) {
    const { token } = await tokens.getOwnToken({});
    if (token === undefined) throw new Error("the server answered without a token");
    return token.orgId;
  }
  const { orgs: all } = await organizations.listOrganizations({});
  const [only] = all;
  if (only === undefined || all.length > 1) {
    throw usageFailure("no organization is known", "Give --org, or set POLICY_GUARD_ORG, or log in with --org.");
  }
  return only.id;
}

/** The id of a project that was given by its id or its name. */
export async function projectIdOf({ projects, orgId }: Organization, given: string): Promise<string> {
  if (isId(given)) return given;
  const all = await allPages<Project>(async (page) => {
    const { projects: items, total } = await projects.listProjects({ orgId, ...page });
    return { items, total };
  });
  const found = all.filter(({ name }) => name === given);
  const [project] = found;
  if (project === undefined) {
    const names = all.map(({ name }) => name).join(", ");
    throw refusal("not_found", `there is no project "${given}"`, {
      hint: names === "" ? undefined : `There are: ${names}.`,
    });
  }
  if (found.length > 1) throw refusal("ambiguous", `several projects are named "${given}"`, { hint: "Give the id." });
  return project.id;
}

/** Which policies to list. */
export interface PolicyFilter {
  readonly query?: string | undefined;
  readonly appId?: string | undefined;
}

/** All policies that match and that the credential sees. */
export function allPolicies({ policies, orgId }: Organization, filter: PolicyFilter = {}): Promise<PolicySummary[]> {
  return allPages<PolicySummary>(async (page) => {
    const { policies: items, total } = await policies.listPolicies({ orgId, ...filter, ...page });
    return { items, total };
  });
}

/** What a summary and a policy both say. */
export type FoundPolicy = Omit<PolicySummary, "$typeName" | "$unknown" | "activeIn" | "description" | "ruleCount">;

/** The policy that was given by its name or its id. */
export async function findPolicy({ policies, orgId }: Organization, given: string): Promise<FoundPolicy | undefined> {
  // Neither names nor ids are longer.
  if (given.length > 128) return undefined;
  const { policies: named } = await policies.listPolicies({ orgId, name: given });
  if (named[0] !== undefined || !isId(given)) return named[0];
  try {
    return (await policies.getPolicy({ orgId, policyId: given })).policy;
  } catch (error) {
    if (ConnectError.from(error).code === Code.NotFound) return undefined;
    throw error;
  }
}

/** Whether a text has the form of an id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** All entries of a list that comes in pages. */
export async function allPages<T>(
  read: (page: { limit: number; offset: number }) => Promise<{ items: T[]; total: number }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 0; page < maxPages; page++) {
    const { items, total } = await read({ limit: pageSize, offset: page * pageSize });
    all.push(...items);
    if (items.length === 0 || all.length >= total) break;
  }
  return all;
}
