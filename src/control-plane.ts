// The control plane put together: what is created here lives as long as the process, in the order of its start.

import { readFileSync } from "node:fs";
import type { ConnectRouter } from "@connectrpc/connect";
import { serve } from "../gateway/serve.ts";
import { AccountService } from "../gen/policyguard/control/v1/account_service_pb.ts";
import { AgentService } from "../gen/policyguard/control/v1/agent_service_pb.ts";
import { BundleService } from "../gen/policyguard/control/v1/bundle_service_pb.ts";
import { DetectorBackendService } from "../gen/policyguard/control/v1/detector_backend_service_pb.ts";
import { EnvironmentService } from "../gen/policyguard/control/v1/environment_service_pb.ts";
import { EventService } from "../gen/policyguard/control/v1/event_service_pb.ts";
import { HubService } from "../gen/policyguard/control/v1/hub_service_pb.ts";
import { ListService } from "../gen/policyguard/control/v1/list_service_pb.ts";
import { OrganizationService } from "../gen/policyguard/control/v1/organization_service_pb.ts";
import { OutputSchemaService } from "../gen/policyguard/control/v1/output_schema_service_pb.ts";
import { PackService } from "../gen/policyguard/control/v1/pack_service_pb.ts";
import { PolicyService } from "../gen/policyguard/control/v1/policy_service_pb.ts";
import { ProjectService } from "../gen/policyguard/control/v1/project_service_pb.ts";
import { RuntimeInstanceService } from "../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { SigningKeyService } from "../gen/policyguard/control/v1/signing_key_service_pb.ts";
import { SsoService } from "../gen/policyguard/control/v1/sso_service_pb.ts";
import { TeamService } from "../gen/policyguard/control/v1/team_service_pb.ts";
import { TokenService } from "../gen/policyguard/control/v1/token_service_pb.ts";
import { TraceService } from "../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../gen/policyguard/control/v1/webhook_service_pb.ts";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { ReportingService } from "../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { readPackLibrary } from "../runtime/engine/pack/library.ts";
import { packSource } from "../runtime/engine/pack/source.ts";
import { createAccountDomain } from "./account-domain.ts";
import { callLimits, type controlPlaneSchema } from "./config.ts";
import { bundlesChannel } from "./domain/activation.ts";
import { Agents } from "./domain/agent.ts";
import { Bundles } from "./domain/bundle.ts";
import { BundleApprovals } from "./domain/bundle-approval.ts";
import { Candidates } from "./domain/candidate.ts";
import { DetectorCatalog } from "./domain/detector.ts";
import { DetectorBackends } from "./domain/detector-backend.ts";
import { Enrolment } from "./domain/enrolment.ts";
import { Environments } from "./domain/environment.ts";
import { EventCatalog } from "./domain/event-catalog.ts";
import { Fleet } from "./domain/fleet.ts";
import { Ingest } from "./domain/ingest.ts";
import { KeyRotation } from "./domain/key-rotation.ts";
import { LatestBundles } from "./domain/latest-bundle.ts";
import { Lists } from "./domain/list.ts";
import { MailQueue } from "./domain/mail-queue.ts";
import { Organizations } from "./domain/organization.ts";
import { OutputSchemas } from "./domain/output-schema.ts";
import { PackCatalog } from "./domain/pack.ts";
import { PackApplications } from "./domain/pack-apply.ts";
import { Playground } from "./domain/playground.ts";
import { Policies } from "./domain/policy.ts";
import { PolicyHistory } from "./domain/policy-history.ts";
import { Projects } from "./domain/project.ts";
import { Quota } from "./domain/quota.ts";
import { RuntimeInstances } from "./domain/runtime-instance.ts";
import { SigningKeys } from "./domain/signing-keys.ts";
import { Tokens, tokensChannel } from "./domain/token.ts";
import { Traces } from "./domain/trace.ts";
import { Usage } from "./domain/usage.ts";
import { Webhooks } from "./domain/webhook.ts";
import { WebhookDeliveries } from "./domain/webhook-delivery.ts";
import { externalSigner } from "./external-signer.ts";
import { createIngestMetrics } from "./ingest-metrics.ts";
import { type Clock, systemClock } from "./kit/clock.ts";
import type { Config } from "./kit/config.ts";
import { createInterceptors } from "./kit/interceptors/order.ts";
import type { Logger } from "./kit/log.ts";
import { readMailSettings } from "./kit/mail.ts";
import { startManagement } from "./kit/management.ts";
import { createMetrics, type Metrics } from "./kit/metrics.ts";
import { createOutbound } from "./kit/outbound/client.ts";
import { createNetworkGuard } from "./kit/outbound/guard.ts";
import { readPackFiles } from "./kit/pack-file.ts";
import { createSealer, parseMasterKeys } from "./kit/seal.ts";
import { drainDelay, type ShutdownStep } from "./kit/shutdown.ts";
import { tokenKind } from "./kit/token.ts";
import { accountHandlers } from "./rpc/account.ts";
import { agentHandlers } from "./rpc/agent.ts";
import { bundleHandlers } from "./rpc/bundle.ts";
import { detectorBackendHandlers } from "./rpc/detector-backend.ts";
import { environmentHandlers } from "./rpc/environment.ts";
import { eventHandlers } from "./rpc/event.ts";
import { hubHandlers } from "./rpc/hub.ts";
import { invitationHandlers } from "./rpc/invitation.ts";
import { listHandlers } from "./rpc/list.ts";
import { organizationHandlers } from "./rpc/organization.ts";
import { outputSchemaHandlers } from "./rpc/output-schema.ts";
import { packHandlers } from "./rpc/pack.ts";
import { playgroundHandlers } from "./rpc/playground.ts";
import { policyHandlers } from "./rpc/policy.ts";
import { historyHandlers } from "./rpc/policy-history.ts";
import { projectHandlers } from "./rpc/project.ts";
import { reportingHandlers } from "./rpc/reporting.ts";
import { runtimeInstanceHandlers } from "./rpc/runtime-instance.ts";
import { signingKeyHandlers } from "./rpc/signing-key.ts";
import { ssoHandlers } from "./rpc/sso.ts";
import { teamHandlers } from "./rpc/team.ts";
import { tokenHandlers } from "./rpc/token.ts";
import { traceHandlers } from "./rpc/trace.ts";
import { webhookHandlers } from "./rpc/webhook.ts";
import { createSsoDomain } from "./sso-domain.ts";
import { countHit } from "./store/address-limit.ts";
import { type Database, openDatabase } from "./store/database.ts";
import { Notifications } from "./store/notification.ts";

/** Every service of the control plane. EvaluationService is not among them: prompts never come here. */
export const controlServices = [
  AccountService,
  TeamService,
  OrganizationService,
  ProjectService,
  EnvironmentService,
  AgentService,
  TokenService,
  SsoService,
  PolicyService,
  ListService,
  OutputSchemaService,
  DetectorBackendService,
  BundleService,
  SigningKeyService,
  RuntimeInstanceService,
  WebhookService,
  EventService,
  HubService,
  PackService,
  TraceService,
  ReportingService,
];

/** Settings of a control plane, as read from its environment. */
export type ControlPlaneConfig = Config<typeof controlPlaneSchema>;

/** A running control plane. */
export interface ControlPlane {
  readonly port: number;
  readonly managementPort: number;
  /** How it ends, in order. */
  readonly shutdownSteps: readonly ShutdownStep[];
}

/** Starts a control plane. */
export async function startControlPlane(
  config: ControlPlaneConfig,
  { log, clock = systemClock }: { readonly log: Logger; readonly clock?: Clock },
): Promise<ControlPlane> {
  const metrics = createMetrics();
  const database = await openDatabase({ url: config.databaseUrl, poolSize: config.databasePoolSize, clock });
  const shutdown = new AbortController();
  const domain = createDomain(config, database, { clock, log, metrics });
  const notifications = await follow(config, domain, log);
  const management = await startManagement({
    port: config.managementPort,
    host: config.host,
    log,
    metrics,
    checks: { database: () => assertWritable(database) },
  });
  const server = await serve({
    services: controlServices,
    routes: (router) => register(router, domain, shutdown.signal),
    interceptors: createInterceptors({
      authenticate: (token, { address }) => authenticate(domain, token, address, log),
      countRequest: (peer) => countRequest(config, database, peer, clock.now()),
      entitlements: (orgId) => domain.organizations.entitlements(orgId),
      log,
      metrics,
      maxTimeoutMs: callLimits.timeoutMs,
    }),
    port: config.port,
    host: config.host,
    certificate: certificateOf(config),
    trustedHops: config.trustedHops,
    limits: callLimits,
    openapi: readPrinted("openapi.json"),
    log,
  });
  return {
    port: server.port,
    managementPort: management.port,
    shutdownSteps: [
      { name: "not ready", timeoutMs: 1_000, run: () => management.drain() },
      drainDelay(config.drainDelayMs),
      { name: "waiting calls", timeoutMs: 1_000, run: () => shutdown.abort() },
      { name: "reporting streams", timeoutMs: 5_000, run: () => domain.fleet.close() },
      { name: "server", timeoutMs: 15_000, run: () => server.close({ graceMs: 10_000 }) },
      { name: "notifications", timeoutMs: 1_000, run: () => notifications.close() },
      { name: "connections", timeoutMs: 1_000, run: () => domain.outbound.close() },
      { name: "mails", timeoutMs: 2_000, run: () => domain.mailer?.close() },
      { name: "management", timeoutMs: 2_000, run: () => management.close() },
      { name: "database", timeoutMs: 5_000, run: () => database.close() },
    ],
  };
}

type Domain = ReturnType<typeof createDomain>;

interface DomainParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

function createDomain(config: ControlPlaneConfig, database: Database, { clock, log, metrics }: DomainParts) {
  const sealer = createSealer({ masterKeys: parseMasterKeys(config.masterKey) });
  const dnsServers = config.dnsServers ?? [];
  const guard = createNetworkGuard({ allowNetworks: config.allowNetworks ?? [], dnsServers });
  const publicUrl = publicUrlOf(config);
  const outbound = createOutbound({ guard });
  const keys = new SigningKeys(database, sealer, externalSigner(config, outbound));
  const library = readPackLibrary(readPackFiles());
  const packs = packSource(library);
  const policies = new Policies(database, clock, packs);
  const mailer = readMailSettings(config) && new MailQueue(database, { sealer, log });
  return {
    ...createAccountDomain(database, { clock, sealer, mailer, publicUrl }),
    ...createSsoDomain(database, { clock, sealer, guard, outbound, dnsServers, publicUrl }),
    organizations: new Organizations(database),
    usage: new Usage(database),
    projects: new Projects(database),
    environments: new Environments(database, keys),
    agents: new Agents(database),
    tokens: new Tokens(database),
    policies,
    lists: new Lists(database),
    outputSchemas: new OutputSchemas(database),
    detectorBackends: new DetectorBackends(database),
    history: new PolicyHistory(database, policies, clock),
    playground: new Playground(database, clock, packs),
    bundles: new Bundles(database, keys, packs),
    approvals: new BundleApprovals(database),
    candidates: new Candidates(database, keys),
    latest: new LatestBundles(database),
    runtimes: new RuntimeInstances(database),
    webhooks: new Webhooks(database, { sealer, guard, outbound, clock }),
    deliveries: new WebhookDeliveries(database),
    events: new EventCatalog(readPrinted("events.json")),
    detectors: new DetectorCatalog(database, clock),
    packs: new PackCatalog(library, database, clock),
    packApplications: new PackApplications(library, database, clock),
    traces: new Traces(database),
    ingest: new Ingest(database, { onResult: createIngestMetrics(metrics) }),
    enrolment: new Enrolment({ database, sealer, publishedKeys: (orgId) => keys.published(orgId) }),
    fleet: new Fleet({ database, log }),
    quota: new Quota(database),
    keys,
    keyRotation: new KeyRotation(database, keys),
    outbound,
    mailer,
    clock,
  };
}

function readPrinted(name: string): string {
  return readFileSync(new URL(`../gen/rest/${name}`, import.meta.url), "utf8");
}

function publicUrlOf(config: ControlPlaneConfig): string {
  const scheme = certificateOf(config) === undefined ? "http" : "https";
  const { origin, pathname, href } = new URL(config.publicUrl ?? `${scheme}://127.0.0.1:${config.port}`);
  const address = origin + pathname;
  if (href !== address) throw new Error("PUBLIC_URL: expected scheme, host and path and nothing else");
  return address.replace(/\/+$/, "");
}

function register(router: ConnectRouter, domain: Domain, shutdown: AbortSignal): void {
  router.service(AccountService, { ...accountHandlers(domain), ...invitationHandlers(domain.invitations) });
  router.service(TeamService, teamHandlers(domain, controlServices));
  router.service(OrganizationService, organizationHandlers(domain));
  router.service(ProjectService, projectHandlers(domain.projects));
  router.service(EnvironmentService, environmentHandlers(domain.environments));
  router.service(AgentService, agentHandlers(domain.agents));
  router.service(TokenService, tokenHandlers(domain.tokens));
  router.service(SsoService, ssoHandlers(domain));
  router.service(PolicyService, {
    ...policyHandlers(domain.policies),
    ...historyHandlers(domain.history),
    ...playgroundHandlers(domain.playground),
  });
  router.service(ListService, listHandlers(domain.lists));
  router.service(OutputSchemaService, outputSchemaHandlers(domain.outputSchemas));
  router.service(DetectorBackendService, detectorBackendHandlers(domain.detectorBackends));
  router.service(BundleService, bundleHandlers(domain, shutdown));
  router.service(SigningKeyService, signingKeyHandlers(domain.keyRotation));
  router.service(RuntimeInstanceService, runtimeInstanceHandlers(domain.runtimes));
  router.service(WebhookService, webhookHandlers(domain));
  router.service(EventService, eventHandlers(domain.events));
  router.service(HubService, hubHandlers(domain.detectors));
  router.service(PackService, packHandlers(domain));
  router.service(TraceService, traceHandlers(domain.traces));
  router.service(ReportingService, reportingHandlers(domain));
}

/** Follows what other processes tell: caches are emptied, and connected runtimes hear of it. */
async function follow(config: ControlPlaneConfig, { latest, fleet }: Domain, log: Logger): Promise<Notifications> {
  const notifications = new Notifications({ url: config.databaseUrl, log });
  notifications.on(bundlesChannel, (payload) => {
    const { org_id: orgId, project_id: projectId, environment } = payload;
    latest.invalidate({ orgId: String(orgId), projectId: String(projectId), environment: String(environment) });
    fleet.bundleChanged(payload);
  });
  notifications.on(tokensChannel, (payload) => fleet.tokensChanged(payload));
  notifications.onResync(() => {
    latest.invalidate();
    fleet.resync();
  });
  await notifications.start();
  return notifications;
}

async function authenticate({ sessions, tokens, clock }: Domain, value: string, address: string, log: Logger) {
  const now = clock.now();
  const warn = (err: unknown) => log.warn({ err }, "last use not noted");
  if (tokenKind(value) === CredentialKind.MEMBER) {
    const person = await sessions.authenticate(value);
    if (person !== undefined) sessions.touch(person, address).catch(warn);
    return person;
  }
  const credential = await tokens.authenticate(value, now);
  if (credential?.orgId !== undefined) tokens.touch(credential.orgId, credential.id, now).catch(warn);
  return credential;
}

/** Seconds that the peer has to wait; undefined when it may go on. */
async function countRequest(config: ControlPlaneConfig, database: Database, peer: string, now: Date) {
  const { authLimitPerMinute: aMinute, authLimitPerHour: anHour } = config;
  const freeAt = await countHit(database, peer, now, { aMinute, anHour });
  return freeAt && Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / 1_000));
}

async function assertWritable(database: Database): Promise<void> {
  if (!(await database.isWritable())) throw new Error("the database takes no writes");
}

function certificateOf({ tlsCertificate, tlsKey }: ControlPlaneConfig) {
  return tlsCertificate === undefined || tlsKey === undefined ? undefined : { cert: tlsCertificate, key: tlsKey };
}
