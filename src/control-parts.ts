// What the rooms of the control plane build their services from: its settings, turned into the things that they share.

import { readFileSync } from "node:fs";
import type { controlPlaneSchema } from "./config.ts";
import type { Analysis } from "./domain/analysis/analysis.ts";
import { readPrices } from "./domain/billing/price.ts";
import { MailQueue } from "./domain/mail/mail-queue.ts";
import { externalSigner } from "./external-signer.ts";
import { createIngestMetrics } from "./ingest-metrics.ts";
import { certificateOf } from "./kit/net/certificate.ts";
import { createOutbound } from "./kit/net/outbound/client.ts";
import { createNetworkGuard } from "./kit/net/outbound/guard.ts";
import type { Logger } from "./kit/observability/log.ts";
import type { Metrics } from "./kit/observability/metrics.ts";
import type { Clock } from "./kit/process/clock.ts";
import type { Config } from "./kit/process/config.ts";
import { readMailSettings } from "./platform/mail.ts";
import { createSealer, parseMasterKeys } from "./platform/seal.ts";
import { createRefusalNotes } from "./sign-in-metrics.ts";
import type { Database } from "./store/connection/database.ts";
import { connectStripe, createEventMetrics } from "./stripe-connection.ts";

/** Settings of a control plane, as read from its environment. */
export type ControlPlaneConfig = Config<typeof controlPlaneSchema>;

/** What a process has before it builds the rooms. */
export interface ProcessParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly analysis: Analysis;
}

/** What rooms are built from. */
export type ControlParts = ReturnType<typeof createParts>;

/** Creates what the rooms share. It lives as long as the process. Throws when settings do not fit together. */
export function createParts(config: ControlPlaneConfig, process: ProcessParts) {
  const { database, log, metrics } = process;
  const sealer = createSealer({ masterKeys: parseMasterKeys(config.masterKey) });
  const dnsServers = config.dnsServers ?? [];
  const guard = createNetworkGuard({ allowNetworks: config.allowNetworks ?? [], dnsServers });
  const publicUrl = publicUrlOf(config);
  const outbound = createOutbound({ guard });
  const signer = externalSigner(config, outbound);
  const mailer = readMailSettings(config) && new MailQueue(database, { sealer, log });
  const graceMs = config.billingGraceMs;
  const stripe = connectStripe(config, { ...process, outbound, mailer, graceMs });
  const localMode = config.stubBilling === "on" ? ("stub" as const) : ("off" as const);
  return {
    ...process,
    sealer,
    dnsServers,
    guard,
    publicUrl,
    outbound,
    signer,
    mailer,
    stripe,
    onProviderEvent: createEventMetrics(metrics),
    isRegistrationOpen: config.registration === "open",
    runtimeUrl: config.runtimeUrl?.replace(/\/+$/, ""),
    defaultPlan: config.defaultPlan,
    billingMode: stripe === undefined ? localMode : ("stripe" as const),
    prices: readPrices(config.stubPrices),
    graceMs,
    trialDays: config.stubTrialDays,
    newTimeline: config.newTimeline,
    tracePartition: config.tracePartition,
    noteRefusal: createRefusalNotes(metrics, log),
    onIngest: createIngestMetrics(metrics),
    eventCatalog: readPrinted("events.json"),
  };
}

/** A file that the generator printed. */
export function readPrinted(name: string): string {
  return readFileSync(new URL(`../gen/rest/${name}`, import.meta.url), "utf8");
}

function publicUrlOf(config: ControlPlaneConfig): string {
  const scheme = certificateOf(config) === undefined ? "http" : "https";
  const { origin, pathname, href } = new URL(config.publicUrl ?? `${scheme}://127.0.0.1:${config.port}`);
  const address = origin + pathname;
  if (href !== address) throw new Error("PUBLIC_URL: expected scheme, host and path and nothing else");
  return address.replace(/\/+$/, "");
}
