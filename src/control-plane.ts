// The control plane put together: what is created here lives as long as the process, in the order of its start.

import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "../gateway/serve.ts";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { callLimits } from "./config.ts";
import { type ControlPlaneConfig, certificateOf, createDomain, type Domain, readPrinted } from "./control-domain.ts";
import { controlServices, register } from "./control-routes.ts";
import { bundlesChannel } from "./domain/activation.ts";
import { tokensChannel } from "./domain/token.ts";
import { type Clock, systemClock } from "./kit/clock.ts";
import { createInterceptors } from "./kit/interceptors/order.ts";
import type { Logger } from "./kit/log.ts";
import { startManagement } from "./kit/management.ts";
import { createMetrics } from "./kit/metrics.ts";
import { drainDelay, type ShutdownStep } from "./kit/shutdown.ts";
import { tokenKind } from "./kit/token.ts";
import { countHit } from "./store/address-limit.ts";
import { type Database, openDatabase } from "./store/database.ts";
import { Notifications } from "./store/notification.ts";

/** Time for calls that waited to answer before the server ends what is under way. */
const answerMs = 100;

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
    openapi: () => readPrinted("openapi.json"),
    log,
  });
  return {
    port: server.port,
    managementPort: management.port,
    shutdownSteps: [
      { name: "not ready", timeoutMs: 1_000, run: () => management.drain() },
      drainDelay(config.drainDelayMs),
      { name: "waiting calls", timeoutMs: 1_000, run: (signal) => endWaits(shutdown, signal) },
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

/** Ends the calls that wait for a change. The server would cut their answers off if it closed in the same moment. */
async function endWaits(shutdown: AbortController, signal: AbortSignal): Promise<void> {
  shutdown.abort();
  await sleep(answerMs, undefined, { signal });
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
