// What the control plane's services are made of, put together from its settings and its database.

import { readFileSync } from "node:fs";
import { readPackLibrary } from "../runtime/engine/pack/library.ts";
import { packSource } from "../runtime/engine/pack/source.ts";
import { createAccountDomain } from "./account-domain.ts";
import type { controlPlaneSchema } from "./config.ts";
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
import { Tokens } from "./domain/token.ts";
import { Traces } from "./domain/trace.ts";
import { Usage } from "./domain/usage.ts";
import { Webhooks } from "./domain/webhook.ts";
import { WebhookDeliveries } from "./domain/webhook-delivery.ts";
import { externalSigner } from "./external-signer.ts";
import { createIngestMetrics } from "./ingest-metrics.ts";
import type { Clock } from "./kit/clock.ts";
import type { Config } from "./kit/config.ts";
import type { Logger } from "./kit/log.ts";
import { readMailSettings } from "./kit/mail.ts";
import type { Metrics } from "./kit/metrics.ts";
import { createOutbound } from "./kit/outbound/client.ts";
import { createNetworkGuard } from "./kit/outbound/guard.ts";
import { readPackFiles } from "./kit/pack-file.ts";
import { createSealer, parseMasterKeys } from "./kit/seal.ts";
import { createSsoDomain } from "./sso-domain.ts";
import type { Database } from "./store/database.ts";

/** Settings of a control plane, as read from its environment. */
export type ControlPlaneConfig = Config<typeof controlPlaneSchema>;

/** What the services are made of. */
export type Domain = ReturnType<typeof createDomain>;

/** What it is made with. */
export interface DomainParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Creates everything that handlers call. It lives as long as the process. */
export function createDomain(config: ControlPlaneConfig, database: Database, { clock, log, metrics }: DomainParts) {
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

/** The certificate to serve with; undefined for plain HTTP. */
export function certificateOf({ tlsCertificate, tlsKey }: ControlPlaneConfig) {
  return tlsCertificate === undefined || tlsKey === undefined ? undefined : { cert: tlsCertificate, key: tlsKey };
}
