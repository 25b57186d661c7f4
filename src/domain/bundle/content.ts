// The content of a bundle: one part for each policy, with the packs that it extends; one for each list that policies
// read; one for each enabled output schema; one for each detector backend that policies name; the weights of the
// detectors' models; the overlays of enabled languages; the ids and keys of agents; and the facts about the policies'
// patterns. All parts are canonical bytes, so that equal policies make equal content.

import type { JsonObject } from "@bufbuild/protobuf";
import type { SchemaSource } from "../../../runtime/engine/schema/output-schema.ts";
import { type AgentPart, agentPartPath } from "../../../runtime/engine/segment/agent-part.ts";
import { maxContentBytes } from "../../kit/bundle/bundle-size.ts";
import { type PartEntry, partEntry } from "../../kit/bundle/statement-payload.ts";
import { canonicalBytes } from "../../kit/crypto/canonical.ts";
import { type Fault, validationFailed } from "../../kit/fault/fault.ts";
import { shippedModels } from "../../kit/process/model-file.ts";
import { type BundledPolicy, loadParts, type PartReference } from "../../store/bundle/bundle.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { allDetectorBackends, type DetectorBackendRow } from "../../store/policy/detector-backend.ts";
import { itemTexts, listHeadsOfProject } from "../../store/policy/list.ts";
import { documentTexts, type PolicyHead } from "../../store/policy/policy.ts";
import { newestAgents } from "../../store/project/agent.ts";
import type { CheckedRelease, ReleaseCheck, ReleasePolicy } from "../analysis/check-release.ts";
import type { StoredPart } from "../analysis/stored-part.ts";
import { overlayParts } from "../language/overlay-part.ts";
import { backendPart } from "../policy/detector-backend.ts";
import { enabledSchemas, partOfSchema, pathOfSchema } from "../policy/output-schema.ts";
import { listPart } from "./listing.ts";

/** The content of a bundle before it is signed. */
export interface BundleContent {
  readonly parts: readonly (PartEntry & { readonly data: Uint8Array })[];
  readonly policies: readonly BundledPolicy[];
}

/** The data that a release is checked with, besides its policies. */
export type ReleaseSurroundings = Pick<ReleaseCheck, "lists" | "backends" | "agents" | "overlays">;

/** How many of a project's newest agents are considered. A project with more of them names them by key. */
const maxAgents = 5_000;

/**
 * Characters of the documents of a release, as PostgreSQL writes JSON: with a space after each comma and colon. Longer
 * documents do not fit into a bundle, so they are not read to the end.
 */
const maxDocumentLength = 1.5 * maxContentBytes;

/** The policies with their newest documents. */
export async function releasePolicies(tx: Transaction, heads: readonly PolicyHead[]): Promise<ReleasePolicy[]> {
  const policies: ReleasePolicy[] = [];
  let length = 0;
  for await (const { head, text: documentText } of documentTexts(tx, heads)) {
    length += documentText.length;
    if (length > maxDocumentLength) throw contentTooLarge();
    const { id: policyId, name, version, appId, agentId, env } = head;
    policies.push({ policyId, name, version, scope: { tenantId: tx.orgId, appId, agentId, env }, documentText });
  }
  return policies;
}

/** The present data of a project, besides its policies. */
export async function releaseSurroundings(tx: Transaction, projectId: string): Promise<ReleaseSurroundings> {
  const agents = await newestAgents(tx, projectId, maxAgents);
  return {
    lists: await listHeadsOfProject(tx, projectId),
    backends: (await allDetectorBackends(tx)).map(({ key }) => key),
    overlays: await overlayParts(tx),
    agents: agents.map(({ id, key }) => ({ id, key })),
  };
}

/** The content of a checked release, with the project's present lists, backends and schemas. */
export async function bundleContent(
  tx: Transaction,
  projectId: string,
  release: CheckedRelease,
): Promise<BundleContent> {
  const lists = await listEntries(tx, projectId, release.lists);
  const backends = (await allDetectorBackends(tx)).filter(({ key }) => release.backends.includes(key));
  const parts = [
    ...release.parts.map(({ path, data }) => ({ ...partEntry(path, data), data })),
    ...lists,
    ...backends.map(backendEntry),
    ...(await enabledSchemas(tx)).map(schemaEntry),
    ...modelEntries(release.models),
    ...agentEntries(release.agents),
  ];
  requireContentSize(parts);
  return {
    parts: parts.sort((a, b) => (a.path < b.path ? -1 : 1)),
    policies: release.policies.map(({ policyId, name, version }) => ({ policy_id: policyId, name, version })),
  };
}

/** Refuses content that no runtime would load. */
export function requireContentSize(parts: readonly Pick<PartEntry, "size">[]): void {
  const sizeBytes = parts.reduce((sum, { size }) => sum + size, 0);
  if (sizeBytes <= maxContentBytes) return;
  throw contentTooLarge(sizeBytes);
}

/**
 * The fault of content that no runtime would load. Its size is unknown when counting stopped early, since it was far
 * too large.
 */
export function contentTooLarge(sizeBytes?: number): Fault {
  const allowed = maxContentBytes.toLocaleString("en");
  const has =
    sizeBytes === undefined
      ? `more than ${allowed} bytes`
      : `${sizeBytes.toLocaleString("en")} bytes, and ${allowed} are allowed`;
  const message = `the content of the bundle has ${has}: shorten its policies and lists`;
  return validationFailed([{ field: "policies", message }]);
}

async function listEntries(tx: Transaction, projectId: string, ids: readonly string[]) {
  const heads = (await listHeadsOfProject(tx, projectId)).filter(({ id }) => ids.includes(id));
  const entries: BundleContent["parts"][number][] = [];
  for await (const { head, text } of itemTexts(tx, heads)) {
    const part = listPart(tx.orgId, head, JSON.parse(text) as readonly string[]); // what this control plane stored
    // A part is JSON; its interface only names the keys.
    const data = canonicalBytes(part as unknown as JsonObject);
    entries.push({ ...partEntry(`lists/${head.id}.json`, data), data });
    requireContentSize(entries);
  }
  return entries;
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
function modelEntries(names: readonly string[]) {
  return [...shippedModels()]
    .filter(([name]) => names.includes(name))
    .map(([name, data]) => ({ ...partEntry(`models/${name}.bin`, data), data }));
}

function agentEntries(part: AgentPart | undefined) {
  if (part === undefined) return [];
  const data = canonicalBytes({ keys: { ...part.keys } });
  return [{ ...partEntry(agentPartPath, data), data }];
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

/** The policies of a stored bundle as they were signed, including those that have been deleted since. */
export function storedPolicyParts(tx: Transaction, parts: readonly PartReference[]): Promise<StoredPart[]> {
  return storedParts(
    tx,
    parts.filter(({ path }) => path.startsWith("policies/")),
  );
}
