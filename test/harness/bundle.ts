// Signed bundles of test policies, made by the same code that the control plane publishes with.

import { randomUUID } from "node:crypto";
import { create, type JsonObject, toJsonString } from "@bufbuild/protobuf";
import { type Bundle, BundleSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { type VerifiedBundle, verifyBundle } from "../../runtime/bundle/verify.ts";
import { runtimeVersion } from "../../runtime/bundle/version.ts";
import { recordPatterns } from "../../runtime/engine/pattern/compile-pattern.ts";
import { canonicalPolicy, parsePolicy } from "../../runtime/engine/policy/parse.ts";
import { type PatternPart, patternPart, patternPartPath } from "../../runtime/engine/policy-plan/pattern-part.ts";
import { maxBundleBytes } from "../../src/kit/bundle/bundle-size.ts";
import { contentDigest, partEntry } from "../../src/kit/bundle/statement-payload.ts";
import { canonicalBytes } from "../../src/kit/crypto/canonical.ts";
import { newSigningKey, type SigningKey, trustKeys } from "../../src/kit/crypto/signing-key.ts";
import { type SignedStatement, signStatement, statementDigest } from "../../src/kit/crypto/statement.ts";

/** A bundle and what it takes to believe it. */
export interface TestBundle {
  readonly bundle: Bundle;
  /** The JSON that `GET /v1/bundles/latest` would answer. */
  readonly json: string;
  readonly key: SigningKey;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: string;
}

/** A policy document, YAML or JSON, in a scope. */
export interface ScopedDocument {
  readonly source: string;
  /** "*" when absent. */
  readonly agentId?: string;
  /** "*" when absent. */
  readonly env?: string;
}

/** A bundle of these policy documents for one environment. Without a scope they are for every agent. */
export async function signedBundle(
  documents: readonly (string | ScopedDocument)[],
  {
    environment = "prod",
    now = new Date(),
    schemas = [],
    backends = [],
    models = new Map(),
  }: {
    readonly environment?: string;
    readonly now?: Date;
    readonly schemas?: readonly { readonly name: string; readonly schema: JsonObject }[];
    /** Detector backends as the control plane writes them. */
    readonly backends?: readonly (JsonObject & { readonly key: string })[];
    /** Weights by the name of their detector. */
    readonly models?: ReadonlyMap<string, Uint8Array>;
  } = {},
): Promise<TestBundle> {
  const key = newSigningKey();
  const [orgId, projectId] = [randomUUID(), randomUUID()];
  const { result: policyParts, facts } = recordPatterns(() =>
    documents.map((document) => {
      const path = `policies/${randomUUID()}.json`;
      const scoped = typeof document === "string" ? { source: document } : document;
      const data = canonicalBytes(policyPart(scoped, { orgId, projectId }));
      return { ...partEntry(path, data), data };
    }),
  );
  const schemaParts = schemas.map(({ name, schema }) => {
    const id = randomUUID();
    const data = canonicalBytes({ schema_id: id, name, version: 1, schema });
    return { ...partEntry(`schemas/${id}.json`, data), data };
  });
  const backendParts = backends.map((backend) => {
    const data = canonicalBytes(backend);
    return { ...partEntry(`backends/${backend.key}.json`, data), data };
  });
  const modelParts = [...models].map(([name, data]) => ({ ...partEntry(`models/${name}.bin`, data), data }));
  const found = patternPart(facts);
  const factParts = found === undefined ? [] : [patternEntry(found)];
  const parts = [...policyParts, ...schemaParts, ...backendParts, ...modelParts, ...factParts];
  const entries = parts.map(({ path, size, digest }) => ({ path, size, digest }));
  const scope = { org_id: orgId, project_id: projectId, environment };
  const manifest = await signStatement(
    "manifest",
    {
      ...scope,
      version: 1,
      created_at: now.toISOString(),
      source: "publish",
      content_digest: contentDigest(entries),
      parts: entries,
      min_runtime: "1.0.0",
      tests: { passed: 0, failed: 0 },
    },
    [key],
  );
  const activation = await signStatement(
    "activation",
    {
      ...scope,
      activation_seq: 1,
      version: 1,
      digest: statementDigest(manifest),
      issued_at: now.toISOString(),
      not_before: now.toISOString(),
      expires_at: new Date(now.getTime() + 7 * 86_400_000).toISOString(),
      capture: "redacted",
      replay_facts: true,
    },
    [key],
  );
  const bundle = create(BundleSchema, {
    manifest: message(manifest),
    activation: message(activation),
    parts: parts.map(({ path, data }) => ({ path, data: Uint8Array.from(data) })),
  });
  return { bundle, json: toJsonString(BundleSchema, bundle), key, orgId, projectId, environment };
}

/** The same, as a runtime that believes its key has verified it. */
export async function verifiedBundle(...given: Parameters<typeof signedBundle>): Promise<VerifiedBundle> {
  const { bundle, key, orgId, projectId, environment } = await signedBundle(...given);
  return verifyBundle({
    bundle,
    trust: trustKeys([key.publicJwk]),
    scope: { orgId, projectId, environment },
    ratchet: undefined,
    now: new Date(),
    from: "disk",
    maxBytes: maxBundleBytes,
    runtimeVersion,
  });
}

function patternEntry(part: PatternPart) {
  // A part is JSON; its interface only names the keys.
  const data = canonicalBytes(part as unknown as JsonObject);
  return { ...partEntry(patternPartPath, data), data };
}

function policyPart(
  { source, agentId = "*", env = "*" }: ScopedDocument,
  { orgId, projectId }: { orgId: string; projectId: string },
): JsonObject {
  const { policy, problems } = parsePolicy(source);
  if (policy === undefined) throw new Error(`the test policy is not valid: ${JSON.stringify(problems)}`);
  return {
    policy_id: randomUUID(),
    name: policy.metadata.name,
    version: 1,
    scope: { tenant_id: orgId, app_id: projectId, agent_id: agentId, env },
    document: canonicalPolicy(policy),
  };
}

function message({ payload, signatures }: SignedStatement) {
  return { payload, signatures: signatures.map((signature) => ({ ...signature })) };
}
