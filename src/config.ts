// The environment variables of the control plane. docs/operations.md prints them from here.

import { defineSchema } from "./kit/process/config.ts";
import { telemetryVariables } from "./kit/telemetry/telemetry-variables.ts";

/** Variables of `npm run control-plane`. */
export const controlPlaneSchema = defineSchema({
  port: { name: "PORT", kind: "port", default: "8080", description: "REST, Connect, gRPC and gRPC-Web." },
  host: {
    name: "HOST",
    kind: "string",
    default: "127.0.0.1",
    maxLength: 255,
    description: "Address to listen on. `0.0.0.0` or `::` is every address of the machine.",
  },
  managementPort: {
    name: "MANAGEMENT_PORT",
    kind: "port",
    default: "9080",
    description: "Liveness, readiness and Prometheus metrics. Keep it inside your network.",
  },
  managementHost: {
    name: "MANAGEMENT_HOST",
    kind: "string",
    default: "127.0.0.1",
    maxLength: 255,
    description: "Address on which the management port listens.",
  },
  databaseUrl: {
    name: "DATABASE_URL",
    kind: "url",
    schemes: ["postgres", "postgresql"],
    required: true,
    secret: true,
    description: "PostgreSQL, as the application's own login: neither owner of the tables nor superuser.",
  },
  databaseListenUrl: {
    name: "DATABASE_LISTEN_URL",
    kind: "url",
    schemes: ["postgres", "postgresql"],
    secret: true,
    description:
      "The same database and login without a pooler in transaction mode, to hear notifications. Empty: `DATABASE_URL`.",
  },
  databaseReadUrl: {
    name: "DATABASE_READ_URL",
    kind: "url",
    schemes: ["postgres", "postgresql"],
    secret: true,
    description:
      "A streaming replica of the same database, with the same login, for lists of traces, analytics, exports and evidence. Empty: all reads go to `DATABASE_URL`. See [replicas](deploy/postgres.md#replicas).",
  },
  databasePoolSize: {
    name: "DATABASE_POOL_SIZE",
    kind: "int",
    min: 2,
    max: 200,
    default: "16",
    description: "Max connections of one process to PostgreSQL.",
  },
  masterKey: {
    name: "POLICY_GUARD_MASTER_KEY",
    kind: "string",
    required: true,
    secret: true,
    description:
      "Seals secrets at rest: base64 of 32 bytes, or `id:base64` pairs separated by commas, of which the first seals and all open.",
  },
  allowNetworks: {
    name: "POLICY_GUARD_ALLOW_NETWORKS",
    kind: "cidr-list",
    description:
      "Private networks in which webhooks and identity providers are allowed, in CIDR notation. Empty: none.",
  },
  dnsServers: {
    name: "POLICY_GUARD_DNS_SERVERS",
    kind: "list",
    description:
      "DNS servers (`address` or `address:port`) for webhooks, identity providers and claimed domains. Empty: the system's resolver.",
  },
  signerUrl: {
    name: "SIGNER_URL",
    kind: "url",
    schemes: ["https", "http"],
    description:
      "External signer that creates and keeps the keys for bundles, called through the network guard. Empty: keys are in the database, sealed.",
  },
  signerSecret: {
    name: "SIGNER_SECRET",
    kind: "string",
    secret: true,
    description: "Bearer token for calls to the external signer. `SIGNER_URL` requires it.",
  },
  tlsCertificate: {
    name: "TLS_CERTIFICATE_FILE",
    kind: "secret-file",
    description: "File with the certificate chain in PEM; with it the port speaks TLS, and ALPN chooses HTTP/2.",
  },
  tlsKey: {
    name: "TLS_KEY_FILE",
    kind: "secret-file",
    secret: true,
    description: "File with the certificate's private key in PEM.",
  },
  trustedHops: {
    name: "TRUSTED_PROXY_HOPS",
    kind: "int",
    min: 0,
    max: 10,
    default: "0",
    description:
      "How many of your own proxies are in front of the port; that many entries of X-Forwarded-For, from the right, are trusted.",
  },
  registration: {
    name: "POLICY_GUARD_REGISTRATION",
    kind: "enum",
    values: ["open", "invite_only"],
    default: "invite_only",
    description:
      "`open`: everybody who reaches the port can register. `invite_only`: accounts are created by invitation, by single sign-on, or by the operator. `npm start` on loopback: `open`.",
  },
  defaultPlan: {
    name: "POLICY_GUARD_DEFAULT_PLAN",
    kind: "enum",
    values: ["free", "growth", "enterprise"],
    default: "free",
    description:
      "Plan of an organization at its creation, the one of the first start included. Organizations that exist keep theirs: `npm run operator -- set-plan` changes those.",
  },
  newTimeline: {
    name: "DATABASE_NEW_TIMELINE",
    kind: "enum",
    values: ["stop", "follow"],
    default: "stop",
    description:
      "When PostgreSQL begins a new timeline, as after a recovery to a point in time or the promotion of a replica. `stop` is not ready (`restored`) until `operator after-restore`; `follow` is for replicas that lack nothing, which are synchronous ones. The same for control plane and worker.",
  },
  tracePartition: {
    name: "POLICY_GUARD_TRACE_PARTITION",
    kind: "enum",
    values: ["month", "day"],
    default: "month",
    description:
      "Length of the partitions of traces. `day` is for 100 million traces a month and more; traces are then kept for 90 days at most, whatever the plan. The same for control plane, worker and `npm run migrate`.",
  },
  stubBilling: {
    name: "STUB_BILLING",
    kind: "enum",
    values: ["on", "off"],
    default: "on",
    description:
      "`on`: plans are bought on local pages that take no money, to try the whole flow. `off`: only the operator sets plans.",
  },
  stubPrices: {
    name: "STUB_PRICES",
    kind: "list",
    default: "growth=4900,enterprise=49000",
    description: "What a month of each plan costs on the local pages, in US cents. A plan without a price is not sold.",
  },
  stubTrialDays: {
    name: "STUB_TRIAL_DAYS",
    kind: "int",
    min: 0,
    max: 365,
    default: "0",
    description: "How many days the first plan that an organization buys on the local pages is tried out unpaid.",
  },
  billingGraceMs: {
    name: "BILLING_GRACE",
    kind: "duration",
    default: "7d",
    description: "How long after a first failed payment an organization goes on before it is blocked.",
  },
  stripeSecretKey: {
    name: "STRIPE_SECRET_KEY",
    kind: "string",
    secret: true,
    description:
      "Connects Stripe, which sells plans then instead of the local pages. `STRIPE_WEBHOOK_SECRETS` and `STRIPE_PRICE_GROWTH` are needed too. A restricted key is enough: see [billing](billing.md#stripe).",
  },
  stripeWebhookSecrets: {
    name: "STRIPE_WEBHOOK_SECRETS",
    kind: "list",
    secret: true,
    description: "Signing secrets of the webhook endpoint in Stripe; two while one replaces the other.",
  },
  stripePriceGrowth: {
    name: "STRIPE_PRICE_GROWTH",
    kind: "list",
    description:
      "Id of the monthly price of the plan growth in Stripe. Further ids, behind it, are prices that are not sold any more and that some still have.",
  },
  stripePriceEnterprise: {
    name: "STRIPE_PRICE_ENTERPRISE",
    kind: "list",
    description: "The same of the plan enterprise. Empty: it is arranged with the operator.",
  },
  stripeTrialDays: {
    name: "STRIPE_TRIAL_DAYS",
    kind: "int",
    min: 1,
    max: 730,
    description: "Days of a trial before the first payment, once for each organization. Empty: none.",
  },
  stripeAutomaticTax: {
    name: "STRIPE_AUTOMATIC_TAX",
    kind: "enum",
    values: ["on", "off"],
    default: "off",
    description: "Whether Stripe adds taxes to what is bought. Set Stripe Tax up there first.",
  },
  stripeApiUrl: {
    name: "STRIPE_API_URL",
    kind: "url",
    schemes: ["https", "http"],
    description:
      "Address of a stand-in for Stripe, for tests. One with `http:` needs `POLICY_GUARD_ALLOW_NETWORKS`. Empty: Stripe itself.",
  },
  authLimitPerMinute: {
    name: "AUTH_LIMIT_PER_MINUTE",
    kind: "int",
    min: 1,
    max: 10_000,
    default: "20",
    description: "Max authentication requests from one address (IPv6: one /64) within any minute.",
  },
  authLimitPerHour: {
    name: "AUTH_LIMIT_PER_HOUR",
    kind: "int",
    min: 1,
    max: 10_000,
    default: "200",
    description: "The same within any hour.",
  },
  consoleFolder: {
    name: "CONSOLE_FOLDER",
    kind: "path",
    description:
      'Folder of a built console, as `npm run console` prints it. Without one, "/" is a short page about the API.',
  },
  publicUrl: {
    name: "PUBLIC_URL",
    kind: "url",
    schemes: ["http", "https"],
    description:
      "Address at which people reach the control plane. Links in mails and redirects of identity providers lead there. Empty: this machine and `PORT`.",
  },
  runtimeUrl: {
    name: "POLICY_GUARD_RUNTIME_URL",
    kind: "url",
    schemes: ["http", "https"],
    description:
      "Address at which applications reach a runtime, for the commands that the console shows. Empty: the console writes that of a runtime on the same machine. `npm start` names its own.",
  },
  smtpUrl: {
    name: "SMTP_URL",
    kind: "url",
    schemes: ["smtp", "smtps"],
    secret: true,
    description:
      "Mail server: `smtps://user:password@host` or, with STARTTLS, `smtp://user:password@host:587`; `?tls=off` for a server without TLS. Empty: no mail; the admin who invites gets the link in the answer.",
  },
  mailFrom: {
    name: "MAIL_FROM",
    kind: "string",
    maxLength: 320,
    description: "Sender of mails, such as `Policy Guard <no-reply@example.com>`. `SMTP_URL` requires it.",
  },
  drainDelayMs: {
    name: "DRAIN_DELAY",
    kind: "duration",
    // Calls in flight get 10 seconds after it, and all of the shutdown has 25 (kit/process/shutdown.ts).
    max: "10s",
    default: "0ms",
    description: "Time at shutdown between becoming not ready and closing the port, so that load balancers notice.",
  },
  logLevel: {
    name: "LOG_LEVEL",
    kind: "enum",
    values: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    default: "info",
    description: "Min level of log lines, which are JSON on standard output.",
  },
  ...telemetryVariables,
});

/** The variables that connect Stripe, for every process that calls it. */
const stripeVariables = {
  stripeSecretKey: controlPlaneSchema.stripeSecretKey,
  stripeWebhookSecrets: controlPlaneSchema.stripeWebhookSecrets,
  stripePriceGrowth: controlPlaneSchema.stripePriceGrowth,
  stripePriceEnterprise: controlPlaneSchema.stripePriceEnterprise,
  stripeTrialDays: controlPlaneSchema.stripeTrialDays,
  stripeAutomaticTax: controlPlaneSchema.stripeAutomaticTax,
  stripeApiUrl: controlPlaneSchema.stripeApiUrl,
};

/** Variables of `npm run worker`. */
export const workerSchema = defineSchema({
  databaseUrl: {
    name: "DATABASE_WORKER_URL",
    kind: "url",
    schemes: ["postgres", "postgresql"],
    required: true,
    secret: true,
    description: "PostgreSQL, as the worker's own login, which owns the job queue.",
  },
  masterKey: controlPlaneSchema.masterKey,
  allowNetworks: controlPlaneSchema.allowNetworks,
  dnsServers: controlPlaneSchema.dnsServers,
  signerUrl: controlPlaneSchema.signerUrl,
  publicUrl: controlPlaneSchema.publicUrl,
  signerSecret: controlPlaneSchema.signerSecret,
  newTimeline: controlPlaneSchema.newTimeline,
  tracePartition: controlPlaneSchema.tracePartition,
  stubPrices: controlPlaneSchema.stubPrices,
  stubTrialDays: controlPlaneSchema.stubTrialDays,
  billingGraceMs: controlPlaneSchema.billingGraceMs,
  ...stripeVariables,
  smtpUrl: controlPlaneSchema.smtpUrl,
  mailFrom: controlPlaneSchema.mailFrom,
  analysisThreads: {
    name: "POLICY_GUARD_ANALYSIS_THREADS",
    kind: "int",
    min: 1,
    max: 16,
    default: "1",
    description: "Processes in which a worker judges the traces of replays; each uses a CPU while there is work.",
  },
  managementPort: {
    name: "WORKER_MANAGEMENT_PORT",
    kind: "port",
    default: "9082",
    description: "Liveness, readiness and Prometheus metrics of the worker. Keep it inside your network.",
  },
  managementHost: controlPlaneSchema.managementHost,
  logLevel: controlPlaneSchema.logLevel,
  ...telemetryVariables,
});

/** Variables of the first start, which `npm start` runs. */
export const bootstrapSchema = defineSchema({
  databaseUrl: controlPlaneSchema.databaseUrl,
  masterKey: controlPlaneSchema.masterKey,
  allowNetworks: controlPlaneSchema.allowNetworks,
  dnsServers: controlPlaneSchema.dnsServers,
  defaultPlan: controlPlaneSchema.defaultPlan,
  port: controlPlaneSchema.port,
  host: controlPlaneSchema.host,
  runtimePort: { name: "RUNTIME_PORT", kind: "port", default: "8081", description: "Port of the runtime." },
  dataFolder: {
    name: "POLICY_GUARD_DATA",
    kind: "path",
    default: "var",
    description: "Folder of `npm start`: database, keys, logs, bootstrap.json.",
  },
});

/** Variables of `npm run migrate`. */
export const migrateSchema = defineSchema({
  migrationUrl: {
    name: "DATABASE_MIGRATION_URL",
    kind: "url",
    schemes: ["postgres", "postgresql"],
    required: true,
    secret: true,
    description: "PostgreSQL, as the owner of the tables.",
  },
  tracePartition: controlPlaneSchema.tracePartition,
});

/** Variables of `npm run reseal`. */
export const resealSchema = defineSchema({ databaseUrl: workerSchema.databaseUrl, masterKey: workerSchema.masterKey });

/** Variables of `npm run set-password`. */
export const setPasswordSchema = defineSchema({ databaseUrl: controlPlaneSchema.databaseUrl });

/** Variables of `npm run operator`. */
export const operatorSchema = defineSchema({
  databaseUrl: controlPlaneSchema.databaseUrl,
  workerUrl: { ...workerSchema.databaseUrl, required: false },
  masterKey: { ...controlPlaneSchema.masterKey, required: false },
  signerUrl: controlPlaneSchema.signerUrl,
  signerSecret: controlPlaneSchema.signerSecret,
  defaultPlan: controlPlaneSchema.defaultPlan,
  billingGraceMs: controlPlaneSchema.billingGraceMs,
  ...stripeVariables,
  allowNetworks: controlPlaneSchema.allowNetworks,
  dnsServers: controlPlaneSchema.dnsServers,
});

/** Limits of REST and RPC calls. */
export interface CallLimits {
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
  /** For answers and bodies that take long, such as files. */
  readonly streamTimeoutMs: number;
}

/** Limits of REST and RPC calls to the control plane. */
export const callLimits: CallLimits = {
  /** A policy document has at most 256 KiB; a batch of 1,024 evaluations fits too. */
  maxBodyBytes: 4 * 1024 * 1024,
  /** Above the 30 seconds that `Prefer: wait` may ask for. */
  timeoutMs: 40_000,
  /** An export of a million traces takes minutes. */
  streamTimeoutMs: 15 * 60_000,
};
