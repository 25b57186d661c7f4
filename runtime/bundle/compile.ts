// From the parts of a verified bundle to an engine.

import type { JsonObject } from "@bufbuild/protobuf";
import type { ManifestPayload } from "../../src/kit/bundle/statement-payload.ts";
import { type BackendReference, backendShapes, type LabelMeanings, needsQuestions } from "../engine/backend/backend.ts";
import { compileEngine, type Engine, type EngineSource } from "../engine/engine.ts";
import { type Overlay, overlayFolder, readOverlay } from "../engine/languages/overlay.ts";
import { learnPatterns } from "../engine/pattern/compile-pattern.ts";
import { type PackRecord, packsOf } from "../engine/policy/pack-record.ts";
import type { NamedList } from "../engine/policy-plan/applicability.ts";
import type { PolicySource } from "../engine/policy-plan/compiled-policy.ts";
import { factsOfPart, patternPartPath } from "../engine/policy-plan/pattern-part.ts";
import type { SchemaSource } from "../engine/schema/output-schema.ts";
import { type AgentKeys, type AgentPart, agentPartPath } from "../engine/segment/agent-part.ts";
import { BundleRejection } from "./rejection.ts";
import type { VerifiedBundle } from "./verify.ts";

/** A policy as the control plane writes it into a bundle. */
interface PolicyPart {
  readonly policy_id: string;
  readonly name: string;
  readonly version: number;
  readonly scope: {
    readonly tenant_id: string;
    readonly app_id: string;
    readonly agent_id: string;
    readonly env: string;
  };
  readonly document: JsonObject;
  /** The packs that it extends. */
  readonly packs?: readonly PackRecord[];
}

/** A list as the control plane writes it into a bundle. */
interface ListPart {
  readonly name: string;
  readonly scope: PolicyPart["scope"];
  readonly items: readonly string[];
}

/** An output schema as the control plane writes it into a bundle. */
interface SchemaPart {
  readonly schema_id: string;
  readonly name: string;
  readonly version: number;
  readonly schema: JsonObject;
}

/** A detector backend as the control plane writes it into a bundle. */
interface BackendPart {
  readonly key: string;
  readonly url: string;
  readonly shape: string;
  readonly timeout_ms: number;
  readonly auth_header: string | null;
  /** Of a model in the runtime: the bytes that it must have. */
  readonly digest?: string;
  /** The model that the server is asked for. */
  readonly model?: string;
  /** What its labels mean, with the name of the preset that says so. */
  readonly preset?: { readonly name: string } & LabelMeanings;
}

/** The detector backends of a bundle, by key. Throws a BundleRejection for one that this version cannot call. */
export function backendsOf({ parts }: Pick<VerifiedBundle, "parts">): ReadonlyMap<string, BackendReference> {
  const found = [...parts].filter(([path]) => path.startsWith("backends/"));
  return new Map(
    found.map(([path, data]) => {
      const part: BackendPart = JSON.parse(Buffer.from(data).toString("utf8"));
      const shape = backendShapes.find((each) => each === part.shape);
      const isAskable = shape !== undefined && (!needsQuestions(shape) || part.preset?.questions !== undefined);
      if (!isAskable || !URL.canParse(part.url))
        throw new BundleRejection("not_adopted", `this runtime does not know how to call ${path}`);
      const { key, url, timeout_ms: timeoutMs, auth_header: authHeader, digest, model, preset } = part;
      const meanings = preset && { labels: preset.labels, ignore: preset.ignore, questions: preset.questions };
      return [key, { key, url, shape, timeoutMs, authHeader: authHeader ?? undefined, digest, model, meanings }];
    }),
  );
}

/** The agents that the content of a bundle refers to, by their ids. */
export function agentKeysOf({ parts }: Pick<VerifiedBundle, "parts">): AgentKeys {
  const data = parts.get(agentPartPath);
  if (data === undefined) return new Map();
  const { keys }: AgentPart = JSON.parse(Buffer.from(data).toString("utf8"));
  return new Map(Object.entries(keys));
}

/** The parts of a bundle that its engine is compiled from. */
export interface BundleContent extends Pick<VerifiedBundle, "parts"> {
  readonly manifest: Pick<ManifestPayload, "environment" | "project_id">;
}

/** The same, verified: the digest of its manifest is that of the parts. */
export type VerifiedContent = Pick<VerifiedBundle, "manifest" | "parts">;

/** Everything that an engine depends on: the content by its digest, the project and the environment. */
export function sourceOf({ manifest }: VerifiedContent): string {
  return JSON.stringify([manifest.content_digest, manifest.project_id, manifest.environment]);
}

/** Compiles the bundle for its environment. Throws a BundleRejection for a part that this version cannot run. */
export function compileBundle(content: BundleContent): Engine {
  return refusing(() => {
    learnFacts(content);
    return compileEngine(engineSourceOf(content));
  });
}

/** Takes over what the bundle says about its patterns, so that they are not analysed again. */
export function learnFacts({ parts }: Pick<BundleContent, "parts">): void {
  const part = parts.get(patternPartPath);
  learnPatterns(part === undefined ? [] : factsOfPart(JSON.parse(Buffer.from(part).toString("utf8"))));
}

/** The source of the bundle's engine. Throws a BundleRejection for a part that this version does not know. */
export function engineSourceOf({ manifest, parts }: BundleContent): EngineSource {
  return {
    policies: [...parts]
      .filter(([path]) => !/^(?:schemas|lists|models|backends|facts|overlays)\//.test(path))
      .map(([path, data]) => policyOf(path, data)),
    lists: [...parts].filter(([path]) => path.startsWith("lists/")).map(([, data]) => listOf(data)),
    models: modelsOf(parts),
    overlays: [...parts].filter(([path]) => path.startsWith(overlayFolder)).map(([, data]) => overlayOf(data)),
    environment: manifest.environment,
    projectId: manifest.project_id,
    schemas: [...parts].filter(([path]) => path.startsWith("schemas/")).map(([, data]) => schemaOf(data)),
  };
}

/** Does work that fails for a bundle that this version cannot run, and turns that into a BundleRejection. */
export function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw asRejection(cause);
  }
}

/** Why a bundle does not compile. */
export function asRejection(cause: unknown): BundleRejection {
  if (cause instanceof BundleRejection) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new BundleRejection("not_adopted", `the bundle does not compile: ${message}`, { cause });
}

/** The weights of detectors' models: parts such as models/injection.bin. */
export function modelsOf(parts: VerifiedBundle["parts"]): ReadonlyMap<string, Uint8Array> {
  const found = [...parts].flatMap(([path, data]): [string, Uint8Array][] => {
    const name = /^models\/([a-z_]+)\.bin$/.exec(path)?.[1];
    return name === undefined ? [] : [[name, data]];
  });
  return new Map(found);
}

function policyOf(path: string, data: Uint8Array): PolicySource {
  if (!path.startsWith("policies/")) {
    throw new BundleRejection("not_adopted", `this runtime does not know what ${path} is for`);
  }
  const {
    policy_id,
    name,
    version,
    scope,
    document,
    packs = [],
  }: PolicyPart = JSON.parse(Buffer.from(data).toString("utf8"));
  const { tenant_id, app_id, agent_id, env } = scope;
  return {
    policyId: policy_id,
    name,
    version,
    scope: { tenantId: tenant_id, appId: app_id, agentId: agent_id, env },
    document,
    packs: packsOf(packs),
  };
}

function listOf(data: Uint8Array): NamedList {
  const { name, scope, items }: ListPart = JSON.parse(Buffer.from(data).toString("utf8"));
  const { tenant_id, app_id, agent_id, env } = scope;
  return { name, items, scope: { tenantId: tenant_id, appId: app_id, agentId: agent_id, env } };
}

function overlayOf(data: Uint8Array): Overlay {
  return readOverlay(JSON.parse(Buffer.from(data).toString("utf8")));
}

function schemaOf(data: Uint8Array): SchemaSource {
  const { schema_id: schemaId, name, version, schema }: SchemaPart = JSON.parse(Buffer.from(data).toString("utf8"));
  return { schemaId, name, version, schema };
}
