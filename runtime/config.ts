// The environment variables and arguments of the runtime. docs/operations.md prints the variables from here.

import { parseArgs } from "node:util";
import { defineSchema } from "../src/kit/process/config.ts";
import { telemetryVariables } from "../src/kit/telemetry/telemetry-variables.ts";

/** Variables of `npm run runtime`. */
export const runtimeSchema = defineSchema({
  port: {
    name: "RUNTIME_PORT",
    kind: "port",
    default: "8081",
    description: "Evaluations: REST, Connect, gRPC, gRPC-Web.",
  },
  host: {
    name: "HOST",
    kind: "string",
    default: "127.0.0.1",
    maxLength: 255,
    description: "Address to listen on. `0.0.0.0` or `::` is every address of the machine.",
  },
  managementPort: {
    name: "RUNTIME_MANAGEMENT_PORT",
    kind: "port",
    default: "9081",
    description: "Liveness, readiness and Prometheus metrics. Keep it inside your network.",
  },
  managementHost: {
    name: "MANAGEMENT_HOST",
    kind: "string",
    default: "127.0.0.1",
    maxLength: 255,
    description: "Address on which the management port listens.",
  },
  controlPlaneUrl: {
    name: "POLICY_GUARD_URL",
    kind: "url",
    schemes: ["http", "https"],
    description: "The control plane. Not with --bundle.",
  },
  token: {
    name: "POLICY_GUARD_TOKEN",
    kind: "string",
    secret: true,
    description: "The runtime token with which the runtime itself calls the control plane. Not with --bundle.",
  },
  tokenHashes: {
    name: "POLICY_GUARD_TOKEN_HASHES",
    kind: "list",
    description: "With --bundle: SHA-256 of each token that callers may use, as 64 hexadecimal digits.",
  },
  dataFolder: {
    name: "POLICY_GUARD_DATA",
    kind: "path",
    default: "var/runtime",
    description:
      "Folder for the last good bundle, the enrolment and the spool of evaluations. Each runtime needs its own.",
  },
  spoolMode: {
    name: "SPOOL_MODE",
    kind: "enum",
    values: ["fast", "durable"],
    default: "fast",
    description:
      "`durable` answers after the evaluation is on disk; `fast` answers at once, and a power failure can lose the evaluations of the last 200 ms and those that were being written.",
  },
  spoolMegabytes: {
    name: "SPOOL_MEGABYTES",
    kind: "int",
    min: 32,
    max: 1_048_576,
    default: "1024",
    description:
      "Max disk space for evaluations that wait to be reported. When it is full, the oldest are dropped and counted.",
  },
  labels: {
    name: "RUNTIME_LABELS",
    kind: "list",
    description:
      "What the fleet shows of this runtime and finds it by: at most 16 of `key=value`, such as `region=eu-west-1`. Keys have lower-case letters, digits and `._/-`, at most 63; values at most 63 characters. Not with --bundle.",
  },
  pollIntervalMs: {
    name: "POLL_INTERVAL",
    kind: "duration",
    default: "10s",
    description: "Min time between two polls for a new bundle while the reporting stream is away.",
  },
  processes: {
    name: "RUNTIME_PROCESSES",
    kind: "int",
    min: 1,
    max: 64,
    default: "1",
    description:
      "Processes that share the port. Each has its own folder in the data folder; sessions and metrics are shared.",
  },
  sessions: {
    name: "SESSIONS",
    kind: "int",
    min: 1,
    max: 1_000_000,
    default: "10000",
    description: "Max sessions kept in memory; beyond it the least recently used are forgotten.",
  },
  sessionTtlMs: {
    name: "SESSION_TTL",
    kind: "duration",
    default: "1h",
    description:
      "How long a session is kept after its last evaluation. The originals of its placeholders are kept for this time at most.",
  },
  textMemoryMegabytes: {
    name: "TEXT_MEMORY_MEGABYTES",
    kind: "int",
    min: 0,
    max: 4_096,
    default: "8",
    description:
      "Memory for scanned texts and their findings, so that repeated prompts, turns and documents are not scanned again. 0 disables it.",
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
  backendSecrets: {
    name: "BACKEND_SECRETS_FILE",
    kind: "secret-file",
    secret: true,
    description:
      'File with the secrets of detector backends: a JSON object `{"<key>": {"origin", "header", "value"}}`. Each secret is sent to its own origin only, even if a bundle names another.',
  },
  backendOrigins: {
    name: "BACKEND_ORIGINS",
    kind: "list",
    description:
      "Origins of detector backends without a secret, such as `http://10.0.0.7:8095`. Texts are sent only to these and to the origins in `BACKEND_SECRETS_FILE`.",
  },
  modelFolder: {
    name: "MODEL_FOLDER",
    kind: "path",
    description:
      "Folder with a folder for each model that this machine runs itself (`model:<name>`). It needs the add-on for models.",
  },
  modelThreads: {
    name: "MODEL_THREADS",
    kind: "int",
    min: 1,
    max: 64,
    description:
      "Runs of models at once, for all processes of the machine together. Default: the cores that `RUNTIME_PROCESSES` leaves, at least 1.",
  },
  envoy: {
    name: "ENVOY_EXT_PROC",
    kind: "enum",
    values: ["off", "fail_closed", "fail_open"],
    default: "off",
    description:
      "Whether the port also serves Envoy's external processor. Bodies that cannot be judged are refused (`fail_closed`) or pass, and are counted (`fail_open`).",
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

/** Limits of evaluate calls. */
export const callLimits = {
  /** A segment has at most 1 MiB of text, where JSON may write one byte as up to six characters. */
  maxBodyBytes: 8 * 1024 * 1024,
  timeoutMs: 30_000,
  streamTimeoutMs: 30_000,
} as const;

/** The arguments of the command line. */
export interface Arguments {
  /** File with a bundle, for a runtime without a control plane. */
  readonly bundle: string | undefined;
  /** File with the public keys that may have signed it: a JWK or a JWK set. */
  readonly key: string | undefined;
  /** Take calls without a token; bound to loopback. */
  readonly noAuth: boolean;
  /** Trust the signing keys that the control plane names at the next enrolment, whatever was pinned before. */
  readonly isRepinned: boolean;
}

/** Reads the command line. Throws for an argument that does not exist. */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      bundle: { type: "string" },
      key: { type: "string" },
      "no-auth": { type: "boolean", default: false },
      repin: { type: "boolean", default: false },
    },
  });
  const { bundle, key, "no-auth": noAuth, repin: isRepinned } = values;
  if (isRepinned && bundle !== undefined) throw new Error("--repin is for a runtime that enrols, not with --bundle");
  return { bundle, key, noAuth, isRepinned };
}
