// Starts the control plane. Everything that is created here lives as long as the process, and is created in the order
// of its start; `shutdownSteps` lists the order of its end.

import { setTimeout as sleep } from "node:timers/promises";
import { readConsole } from "../gateway/console/console-page.ts";
import { type Server, serve } from "../gateway/serve.ts";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { createAnalysisMetrics } from "./analysis-metrics.ts";
import { createAnalysisPool } from "./analysis-pool.ts";
import { type CallLimits, callLimits } from "./config.ts";
import { createDomain, type Domain } from "./control-domain.ts";
import { type ControlParts, type ControlPlaneConfig, createParts, readPrinted } from "./control-parts.ts";
import { register } from "./control-routes.ts";
import { controlServices } from "./control-services.ts";
import { measurePool } from "./database-metrics.ts";
import type { Analysis } from "./domain/analysis/analysis.ts";
import { bundlesChannel, quotaChannel, tokensChannel } from "./domain/channel.ts";
import { tokenKind } from "./kit/crypto/token.ts";
import { certificateOf } from "./kit/net/certificate.ts";
import { measureCertificate } from "./kit/net/certificate-metrics.ts";
import { type ManagementServer, NotReady, startManagement } from "./kit/net/management.ts";
import type { Logger } from "./kit/observability/log.ts";
import { createMetrics } from "./kit/observability/metrics.ts";
import { type Clock, systemClock } from "./kit/process/clock.ts";
import { productVersion } from "./kit/process/product-folder.ts";
import { drainDelay, type ShutdownStep } from "./kit/process/shutdown.ts";
import { consoleFacts } from "./kit/rpc/browser.ts";
import { createInterceptors } from "./kit/rpc/interceptors/order.ts";
import { startTelemetry } from "./kit/telemetry/telemetry.ts";
import { createReplicaMetrics } from "./replica-metrics.ts";
import { assertNotRestored } from "./restore-check.ts";
import { localPages } from "./rpc/billing/page.ts";
import { assertSchema, sayAlive, tellNewerSchema } from "./schema-check.ts";
import { withScimRequests } from "./scim-metrics.ts";
import { type Database, openDatabase } from "./store/connection/database.ts";
import { assertDelivery } from "./store/connection/delivery-proof.ts";
import { type NotificationListener, Notifications } from "./store/core/notification.ts";
import { countHit } from "./store/identity/address-limit.ts";

/** Time for calls that waited to answer before the server ends what is under way. */
const answerMs = 100;

/** A running control plane. */
export interface ControlPlane {
  readonly port: number;
  readonly managementPort: number;
  /** The steps by which it ends, in order. */
  readonly shutdownSteps: readonly ShutdownStep[];
}

/** What a control plane is started with. */
export interface ControlPlaneParts {
  readonly log: Logger;
  readonly clock?: Clock | undefined;
  /** Analyses the documents of customers. Default: a pool of processes that belongs to this control plane. */
  readonly analysis?: Analysis | undefined;
  /** Limits of calls. Others are for tests. */
  readonly limits?: CallLimits | undefined;
}

/** Starts a control plane. */
export async function startControlPlane(
  config: ControlPlaneConfig,
  { log, clock = systemClock, analysis, limits = callLimits }: ControlPlaneParts,
): Promise<ControlPlane> {
  const metrics = withScimRequests(createMetrics());
  const telemetry = await startTelemetry(config, { name: "control-plane", version: productVersion(), log, metrics });
  const database = await openDatabase({ url: config.databaseUrl, poolSize: config.databasePoolSize, clock });
  if (config.databaseReadUrl !== undefined) {
    const onRead = createReplicaMetrics(metrics);
    await database.readFrom({ url: config.databaseReadUrl, poolSize: config.databasePoolSize, log, onRead });
  }
  measurePool(metrics, database);
  measureCertificate(metrics, certificateOf(config));
  const shutdown = new AbortController();
  const pool = createAnalysisPool({ log, onResult: createAnalysisMetrics(metrics) });
  const parts = createParts(config, { database, clock, log, metrics, analysis: analysis ?? pool.analysis });
  const domain = createDomain(parts);
  const notifications = await follow(config, { database, domain, log });
  const management = await startManagement({
    port: config.managementPort,
    host: config.managementHost,
    log,
    metrics,
    checks: {
      database: () => assertWritable(database),
      schema: () => assertSchema(database),
      restore: () => assertNotRestored(database, config.newTimeline),
    },
  });
  await tellNewerSchema(database, log);
  const heartbeat = sayAlive(database, "control-plane", log);
  const server = await serveControlPlane(config, { ...parts, domain, limits, shutdown: shutdown.signal });
  return {
    port: server.port,
    managementPort: management.port,
    shutdownSteps: [
      { name: "not ready", timeoutMs: 1_000, run: () => stopInviting(management, server) },
      drainDelay(config.drainDelayMs),
      { name: "waiting calls", timeoutMs: 1_000, run: (signal) => endWaits(shutdown, signal) },
      { name: "reporting streams", timeoutMs: 5_000, run: () => domain.fleet.close() },
      { name: "server", timeoutMs: 15_000, run: () => server.close({ graceMs: 10_000 }) },
      { name: "analysis", timeoutMs: 1_000, run: () => pool.close() },
      { name: "notifications", timeoutMs: 1_000, run: () => notifications.close() },
      { name: "connections", timeoutMs: 1_000, run: () => parts.outbound.close() },
      { name: "mails", timeoutMs: 2_000, run: () => parts.mailer?.close() },
      { name: "management", timeoutMs: 2_000, run: () => management.close() },
      { name: "heartbeat", timeoutMs: 2_000, run: () => heartbeat.end() },
      { name: "database", timeoutMs: 5_000, run: () => database.close() },
      ...telemetry.shutdownSteps,
    ],
  };
}

function consoleOf(folder: string | undefined, publicUrl: string) {
  return folder === undefined ? undefined : { build: readConsole(folder), isSecure: publicUrl.startsWith("https:") };
}

interface ServedParts {
  readonly domain: Domain;
  readonly shutdown: AbortSignal;
  readonly limits: CallLimits;
}

/** Listens for calls. `shutdown` ends those that wait. */
function serveControlPlane(
  config: ControlPlaneConfig,
  { domain, shutdown, limits, ...parts }: ControlParts & ServedParts,
) {
  const { database, clock, log, metrics } = parts;
  return serve({
    services: controlServices,
    routes: (router) => register(router, domain, { shutdown, clock, publicUrl: parts.publicUrl }),
    interceptors: createInterceptors({
      authenticate: (token, { address }) => authenticate(domain, { token, address, now: clock.now() }, log),
      console: {
        ...consoleFacts(parts.publicUrl),
        authenticate: (cookie, { address }) => authenticateCookie(domain, { cookie, address }, log),
      },
      countRequest: (peer) => countRequest(config, database, peer, clock.now()),
      entitlements: (orgId) => domain.organizations.entitlements(orgId),
      log,
      metrics,
      maxTimeoutMs: limits.timeoutMs,
    }),
    port: config.port,
    host: config.host,
    certificate: certificateOf(config),
    trustedHops: config.trustedHops,
    limits,
    pages: {
      openApi: () => readPrinted("openapi.json"),
      documentPath: "/v1/openapi.json",
      docsPath: "/docs",
      hasFrontPage: true,
      console: consoleOf(config.consoleFolder, parts.publicUrl),
      others: parts.billingMode === "stub" ? localPages : [],
    },
    log,
  });
}

/** Balancers are to send nothing new, and clients to come back over other connections. */
function stopInviting(management: ManagementServer, server: Server): void {
  management.drain();
  server.retire();
}

/** Ends the calls that wait for a change. If the server closed at the same moment, it would cut off their answers. */
async function endWaits(shutdown: AbortController, signal: AbortSignal): Promise<void> {
  shutdown.abort();
  await sleep(answerMs, undefined, { signal });
}

/** Listens to other processes: a notification empties caches and is passed on to connected runtimes. */
async function follow(
  config: ControlPlaneConfig,
  { database, domain, log }: { readonly database: Database; readonly domain: Domain; readonly log: Logger },
): Promise<Notifications> {
  const { latest, fleet } = domain;
  const url = config.databaseListenUrl ?? config.databaseUrl;
  const variable = "DATABASE_LISTEN_URL (or, without it, DATABASE_URL)";
  await assertDelivery({ listenUrl: url, notifyUrl: config.databaseUrl, variable });
  const notifications = new Notifications({ url, log });
  const dropLatest: NotificationListener = ({ org_id: orgId, project_id: projectId, environment }) =>
    latest.invalidate({ orgId: String(orgId), projectId: String(projectId), environment: String(environment) });
  database.onNotified(bundlesChannel, dropLatest);
  latest.follow(notifications);
  notifications.on(bundlesChannel, (payload) => {
    dropLatest(payload);
    fleet.bundleChanged(payload);
  });
  notifications.on(tokensChannel, (payload) => fleet.tokensChanged(payload));
  notifications.on(quotaChannel, (payload) => fleet.quotaChanged(payload));
  notifications.onResync(() => {
    latest.invalidate();
    fleet.resync();
  });
  await notifications.start();
  return notifications;
}

/** The caller that a token stands for; undefined when it is none. */
async function authenticate(
  { sessions, tokens }: Domain,
  { token, address, now }: { readonly token: string; readonly address: string; readonly now: Date },
  log: Logger,
) {
  const warn = (err: unknown) => warnOfUse(err, log);
  if (tokenKind(token) === CredentialKind.MEMBER) {
    const person = await sessions.authenticate(token);
    if (person !== undefined) sessions.touch(person, address).catch(warn);
    return person;
  }
  const credential = await tokens.authenticate(token, now);
  if (credential?.orgId !== undefined) tokens.touch(credential.orgId, credential.id, now).catch(warn);
  return credential;
}

/** The person of a session that is a cookie; undefined when there is none. */
async function authenticateCookie(
  { sessions }: Domain,
  { cookie, address }: { readonly cookie: string; readonly address: string },
  log: Logger,
) {
  const person = await sessions.authenticateCookie(cookie);
  if (person !== undefined) sessions.touch(person, address).catch((err: unknown) => warnOfUse(err, log));
  return person;
}

function warnOfUse(err: unknown, log: Logger): void {
  log.warn({ err }, "the last use of a credential could not be recorded");
}

/** Seconds that the peer has to wait; undefined when it may go on. */
async function countRequest(config: ControlPlaneConfig, database: Database, peer: string, now: Date) {
  const { authLimitPerMinute: aMinute, authLimitPerHour: anHour } = config;
  const freeAt = await countHit(database, peer, now, { aMinute, anHour });
  return freeAt && Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / 1_000));
}

async function assertWritable(database: Database): Promise<void> {
  if (!(await database.isWritable())) throw new NotReady("not_writable", "the database accepts no writes");
}
