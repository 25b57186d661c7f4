// What goes into a bundle: one part for each policy, with the packs that it extends, one for each list that policies read, one for
// each output schema that is enabled, one for each detector backend that policies name, the weights of the detectors' models, which agents
// the ids stand for, and what was found out about the policies' patterns, in canonical bytes, so that equal policies make equal content.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type AgentPart, agentPartPath } from "../../runtime/engine/agent-part.ts";
import type { NamedList } from "../../runtime/engine/applicability.ts";
import { BundleTooLarge } from "../../runtime/engine/bundle-limit.ts";
import { assertCompilable } from "../../runtime/engine/compile.ts";
import type { PolicySource } from "../../runtime/engine/compiled-policy.ts";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import type { SchemaSource } from "../../runtime/engine/output-schema.ts";
import type { StoredFacts } from "../../runtime/engine/pattern-facts.ts";
import { patternPart, patternPartPath } from "../../runtime/engine/pattern-part.ts";
import { noPacks, type PackSource } from "../../runtime/engine/policy/extend.ts";
import { type PackRecord, packsOf, recordedPacks } from "../../runtime/engine/policy/pack-record.ts";
import { parsePolicy } from "../../runtime/engine/policy/parse.ts";
import { recordPatterns } from "../../runtime/engine/regex.ts";
import { maxContentBytes } from "../kit/bundle-size.ts";
import { canonicalBytes } from "../kit/canonical.ts";
import { validationFailed } from "../kit/error.ts";
import { shippedModels } from "../kit/model-file.ts";
import { type PartEntry, partEntry } from "../kit/statement-payload.ts";
import { type BundledPolicy, loadParts, type PartReference } from "../store/bundle.ts";
import type { Transaction } from "../store/database.ts";
import { allDetectorBackends, type DetectorBackendRow } from "../store/detector-backend.ts";
import { type ListRow, listsOfProject } from "../store/list.ts";
import { type CurrentPolicy, policiesOfProject } from "../store/policy.ts";
import { neededAgents } from "./bundle-agent.ts";
import { type ListPart, listPart, namedList, neededLists } from "./bundle-list.ts";
import { backendPart, neededBackends } from "./detector-backend.ts";
import { enabledSchemas, partOfSchema, pathOfSchema, type SchemaPart, schemaOfPart } from "./output-schema.ts";

/** The content of a bundle before it is signed. */
export interface BundleContent {
  readonly parts: readonly (PartEntry & { readonly data: Uint8Array })[];
  readonly policies: readonly BundledPolicy[];
}

/** A policy of a bundle, as an engine takes it. */
export type BundlePolicySource = PolicySource & { readonly document: JsonObject };

/** The newest version of every policy that may apply to the project, with packs as they are now. */
export async function currentSources(
  tx: Transaction,
  projectId: string,
  packs: PackSource,
): Promise<BundlePolicySource[]> {
  return (await policiesOfProject(tx, projectId)).map((policy) => ({ ...sourceOf(policy), packs }));
}

/** The content made of these policies, with the project's lists as they are now. Lists that are missing are a 422. */
export async function bundleContent(
  tx: Transaction,
  projectId: string,
  policies: readonly BundlePolicySource[],
): Promise<BundleContent> {
  const lists = neededLists(policies, await listsOfProject(tx, projectId));
  const backends = neededBackends(policies, await allDetectorBackends(tx));
  const entries = policies.map(policyEntry);
  const parts = [
    ...entries,
    ...lists.map(listEntry),
    ...backends.map(backendEntry),
    ...(await enabledSchemas(tx)).map(schemaEntry),
    ...modelEntries(entries),
    ...agentEntries(await neededAgents(tx, projectId, { policies, written: entries, lists })),
  ];
  requireContentSize(parts);
  parts.push(...patternEntries(requireCompilable(policies)));
  requireContentSize(parts);
  return {
    parts: parts.sort((a, b) => (a.path < b.path ? -1 : 1)),
    policies: policies.map(({ policyId, name, version }) => ({ policy_id: policyId, name, version })),
  };
}

/** Refuses content that no runtime would take. */
export function requireContentSize(parts: readonly Pick<PartEntry, "size">[]): void {
  const sizeBytes = parts.reduce((sum, { size }) => sum + size, 0);
  if (sizeBytes <= maxContentBytes) return;
  const message = `the content of the bundle has ${sizeBytes} bytes, and may have ${maxContentBytes}: shorten its policies and lists`;
  throw validationFailed([{ field: "policies", message }]);
}

// Refuses policies that no runtime would take together. Returns what was found out about their patterns.
function requireCompilable(policies: readonly BundlePolicySource[]): ReadonlyMap<string, StoredFacts> {
  try {
    return recordPatterns(() => assertCompilable(policies)).facts;
  } catch (error) {
    if (error instanceof BundleTooLarge) throw validationFailed([{ field: "policies", message: error.message }]);
    throw error;
  }
}

function policyEntry(policy: BundlePolicySource) {
  const path = `policies/${policy.policyId}.json`;
  const data = canonicalBytes(policyPart(policy));
  return { ...partEntry(path, data), data };
}

function listEntry(list: ListRow) {
  const path = `lists/${list.id}.json`;
  // A part is JSON; its interface only names the keys.
  const data = canonicalBytes(listPart(list) as unknown as JsonObject);
  return { ...partEntry(path, data), data };
}

function backendEntry(backend: DetectorBackendRow) {
  const data = canonicalBytes(backendPart(backend));
  return { ...partEntry(`backends/${backend.key}.json`, data), data };
}

function schemaEntry(source: SchemaSource) {
  const data = canonicalBytes(partOfSchema(source));
  return { ...partEntry(pathOfSchema(source), data), data };
}

// A model goes with the bundle when a policy, or a pack that it extends, names the model's detector.
function modelEntries(policies: readonly StoredPart[]) {
  return [...shippedModels()]
    .filter(([name]) => policies.some(({ data }) => Buffer.from(data).includes(`"${name}"`)))
    .map(([name, data]) => ({ ...partEntry(`models/${name}.bin`, data), data }));
}

function agentEntries(part: AgentPart | undefined) {
  if (part === undefined) return [];
  const data = canonicalBytes({ keys: { ...part.keys } });
  return [{ ...partEntry(agentPartPath, data), data }];
}

function patternEntries(facts: ReadonlyMap<string, StoredFacts>) {
  const part = patternPart(facts);
  if (part === undefined) return [];
  // A part is JSON; its interface only names the keys.
  const data = canonicalBytes(part as unknown as JsonObject);
  return [{ ...partEntry(patternPartPath, data), data }];
}

interface StoredPart {
  readonly path: string;
  readonly data: Uint8Array;
}

/** The policies of a bundle's parts, as an engine takes them. */
export function policySources(parts: readonly StoredPart[]): BundlePolicySource[] {
  const ours = parts.filter(({ path }) => path.startsWith("policies/"));
  return ours.map(({ data }) => {
    // What this control plane wrote.
    const part = JSON.parse(Buffer.from(data).toString("utf8")) as PolicyPart;
    const { policy_id: policyId, name, version, scope, document, packs = [] } = part;
    const { tenant_id: tenantId, app_id: appId, agent_id: agentId, env } = scope;
    return { policyId, name, version, scope: { tenantId, appId, agentId, env }, document, packs: packsOf(packs) };
  });
}

/** The lists of a bundle's parts, as an engine takes them. */
export function listSources(parts: readonly StoredPart[]): NamedList[] {
  const ours = parts.filter(({ path }) => path.startsWith("lists/"));
  return ours.map(({ data }) => namedList(JSON.parse(Buffer.from(data).toString("utf8")) as ListPart));
}

/** The output schemas of a bundle's parts, as an engine takes them. */
export function schemaSources(parts: readonly StoredPart[]): SchemaSource[] {
  const ours = parts.filter(({ path }) => path.startsWith("schemas/"));
  return ours.map(({ data }) => schemaOfPart(JSON.parse(Buffer.from(data).toString("utf8")) as SchemaPart));
}

/** The parts of a stored bundle with their bytes. */
export async function storedParts(tx: Transaction, parts: readonly PartReference[]): Promise<StoredPart[]> {
  const stored = await loadParts(
    tx,
    parts.map(({ digest }) => digest),
  );
  return parts.map(({ path, digest }) => {
    const data = stored.get(digest);
    if (data === undefined) throw new Error(`the part ${path} with the digest ${digest} is not stored`);
    return { path, data };
  });
}

/** The policies of a stored bundle, as they were signed; also those that are deleted by now. */
export async function storedPolicies(tx: Transaction, parts: readonly PartReference[]): Promise<BundlePolicySource[]> {
  return policySources(await storedParts(tx, parts));
}

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
  /** The packs that it extends; absent when it extends none. */
  readonly packs?: readonly PackRecord[];
}

/** A policy as a bundle carries it. The scope names a project by id and never an environment's own bundle. */
function policyPart({ policyId, name, version, scope, document, packs = noPacks }: BundlePolicySource): JsonObject {
  const { tenantId, appId, agentId, env } = scope;
  const part: JsonObject = {
    ...{ policy_id: policyId, name, version, document },
    scope: { tenant_id: tenantId, app_id: appId, agent_id: agentId, env },
  };
  if (!("extends" in document)) return part;
  const { source, records } = recordedPacks(packs);
  parsePolicy(document, catalog, source);
  // Records are JSON; their interface only names the keys.
  return { ...part, packs: records() as unknown as JsonValue };
}

function sourceOf({ policy, current }: CurrentPolicy): BundlePolicySource {
  const { orgId: tenantId, appId, agentId, env } = policy;
  const scope = { tenantId, appId, agentId, env };
  return { policyId: policy.id, name: policy.name, version: current.version, scope, document: current.document };
}
