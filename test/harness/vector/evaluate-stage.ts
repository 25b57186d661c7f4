// Where evaluate vectors play: one live runtime whose bundle changes from vector to vector, and one that has none.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { AdapterService } from "../../../gen/policyguard/runtime/v1/adapter_service_pb.ts";
import { EvaluationService } from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { TokenDigestSchema } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { EvaluateVector, PolicyGiven } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import type { BundleScope } from "../../../runtime/bundle/activation.ts";
import { BundleHolder, type EngineBuilder } from "../../../runtime/bundle/active-bundle.ts";
import type { VerifiedBundle } from "../../../runtime/bundle/verify.ts";
import { runtimeSchema } from "../../../runtime/config.ts";
import { TokenAuthenticator } from "../../../runtime/control-plane/token-authenticator.ts";
import type { RecordSink } from "../../../runtime/evaluate/evaluator.ts";
import { type Runtime, startRuntime } from "../../../runtime/runtime.ts";
import type { StreamLimits } from "../../../runtime/stream/stream-limits.ts";
import { newToken, tokenDigest } from "../../../src/kit/crypto/token.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { systemClock } from "../../../src/kit/process/clock.ts";
import { readConfig } from "../../../src/kit/process/config.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { shippedModels } from "../../../src/kit/process/model-file.ts";
import { shutDown } from "../../../src/kit/process/shutdown.ts";
import { verifiedBundle } from "../bundle.ts";
import { type Caller, createCaller } from "./dialect.ts";

/** Who may call in a vector. */
const personas = {
  runtime: { kind: CredentialKind.RUNTIME },
  ci: { kind: CredentialKind.CI, environment: "" },
  admin: { kind: CredentialKind.ADMIN, projectId: "", environment: "" },
  expired: { kind: CredentialKind.RUNTIME, notAfter: new Date(Date.now() - 1_000) },
  other_environment: { kind: CredentialKind.RUNTIME, environment: "elsewhere" },
  other_project: { kind: CredentialKind.RUNTIME, projectId: newId() },
} as const;

/** A live runtime to call. */
export interface EvaluateStage {
  readonly url: string;
  readonly caller: Caller;
  /** Puts the bundle of a vector into force. */
  adopt(found: VerifiedBundle): Promise<void>;
  /** Token by persona; undefined for a call without one. */
  tokenOf(persona: string): string | undefined;
  /** Takes a persona's token away, until the next bundle is adopted. */
  revoke(persona: string): void;
  /** Value of a measurement, such as "streams_open". */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** The bundle of a vector, signed and verified. */
export async function bundleOf({ policies, environment, schemas }: EvaluateVector): Promise<VerifiedBundle> {
  const documents = policies.map((given) => ({
    source: sourceOf(given),
    agentId: given.agentId || "*",
    env: given.env || "*",
  }));
  return verifiedBundle(documents, {
    environment: environment || "prod",
    schemas: schemas.map(({ name, schema = {} }) => ({ name, schema })),
    models: modelsFor(documents.map(({ source }) => source)),
  });
}

/** The models of the detectors that policies set up, as a published bundle has them. */
function modelsFor(sources: readonly string[]): ReadonlyMap<string, Uint8Array> {
  const named = [...shippedModels()].filter(([name]) => sources.some((source) => source.includes(`use: ${name}`)));
  return new Map(named);
}

/** What a stage may be given. */
export interface StageOptions {
  readonly builder?: EngineBuilder;
  /** Takes the records of evaluations. */
  readonly spool?: RecordSink;
  readonly streamLimits?: StreamLimits;
}

/** Starts a runtime; without a bundle until one is adopted. */
export async function startEvaluateStage(options: StageOptions = {}): Promise<EvaluateStage> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-evaluate-"));
  const holder = new BundleHolder(options);
  const tokens = new Map(Object.entries(personas).map(([name, { kind }]) => [name, newToken(kind)]));
  let scope: BundleScope = { orgId: newId(), projectId: newId(), environment: "prod" };
  const authenticator = new TokenAuthenticator(() => scope, systemClock);
  const enter = (next: BundleScope) => {
    scope = next;
    authenticator.replace(digestsIn(next, tokens));
  };
  enter(scope);
  const fingerprintKey = new Uint8Array(32).fill(7);
  const config = readConfig(runtimeSchema, {
    RUNTIME_PORT: "0",
    RUNTIME_MANAGEMENT_PORT: "0",
    HOST: "127.0.0.1",
    POLICY_GUARD_DATA: folder,
  });
  const log = createLog({ name: "test", level: "error" });
  const runtime: Runtime = await startRuntime(
    config,
    {
      holder,
      authenticate: (value) => authenticator.authenticate(value),
      fingerprintKey: () => fingerprintKey,
      spool: options.spool && { append: options.spool.append, together: (work) => work() },
      interceptors: [],
      checks: {},
      shutdownSteps: [],
    },
    { log, streamLimits: options.streamLimits },
  );
  const url = `http://127.0.0.1:${runtime.port}`;
  return {
    url,
    caller: createCaller(url, [EvaluationService, AdapterService]),
    async adopt(found) {
      const { org_id: orgId, project_id: projectId, environment } = found.manifest;
      await holder.adopt(found, { now: new Date(), isConfirmed: true, keep: async () => undefined });
      enter({ orgId, projectId, environment });
    },
    tokenOf(persona) {
      if (persona === "anonymous") return undefined;
      if (persona === "garbage") return "not-a-token";
      if (persona === "unknown") return newToken(CredentialKind.RUNTIME);
      const token = tokens.get(persona || "runtime");
      if (token === undefined) throw new Error(`nobody is called ${persona}`);
      return token;
    },
    revoke(persona) {
      authenticator.replace(digestsIn(scope, new Map([...tokens].filter(([name]) => name !== persona))));
    },
    async metric(name) {
      const found = (await runtime.metrics()).find((metric) => metric.name === name);
      if (found === undefined) throw new Error(`nobody measures ${name}`);
      const { values } = found as { readonly values?: readonly { readonly value: number }[] }; // it says so itself of what it collects
      return (values ?? []).reduce((sum, { value }) => sum + value, 0);
    },
    async stop() {
      await shutDown({ log, steps: runtime.shutdownSteps });
      rmSync(folder, { recursive: true });
    },
  };
}

function digestsIn({ projectId, environment }: BundleScope, tokens: ReadonlyMap<string, string>) {
  return Object.entries(personas).map(([name, { notAfter, ...facts }]: [string, Persona]) =>
    create(TokenDigestSchema, {
      sha256: Uint8Array.from(tokenDigest(tokens.get(name) ?? "")),
      projectId,
      environment,
      notAfter: notAfter && timestampFromDate(notAfter),
      ...facts,
    }),
  );
}

interface Persona {
  readonly kind: CredentialKind;
  readonly projectId?: string;
  readonly environment?: string;
  readonly notAfter?: Date;
}

function sourceOf({ yaml }: PolicyGiven): string {
  const hasMetadata = yaml.some((line) => line.startsWith("metadata:"));
  return [
    "apiVersion: policyguard/v1",
    "kind: Policy",
    ...(hasMetadata ? [] : ["metadata: {name: guard}"]),
    ...yaml,
  ].join("\n");
}
