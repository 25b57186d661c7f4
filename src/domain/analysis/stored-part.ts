// Reads the parts of a stored bundle.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Overlay, overlayFolder, readOverlay } from "../../../runtime/engine/languages/overlay.ts";
import { type PackRecord, packsOf } from "../../../runtime/engine/policy/pack-record.ts";
import type { NamedList } from "../../../runtime/engine/policy-plan/applicability.ts";
import type { PolicySource } from "../../../runtime/engine/policy-plan/compiled-policy.ts";
import type { SchemaSource } from "../../../runtime/engine/schema/output-schema.ts";

/** A part of a bundle with its bytes. */
export interface StoredPart {
  readonly path: string;
  readonly data: Uint8Array;
}

/** A policy of a bundle, as an engine takes it. */
export type BundlePolicySource = PolicySource & { readonly document: JsonObject };

/** Where something applies, in the spelling of a part. */
export interface PartScope {
  readonly tenant_id: string;
  readonly app_id: string;
  readonly agent_id: string;
  readonly env: string;
}

/** A policy as a bundle carries it. */
export interface PolicyPart {
  readonly policy_id: string;
  readonly name: string;
  readonly version: number;
  readonly scope: PartScope;
  readonly document: JsonObject;
  /** The packs that it extends; absent when it extends none. */
  readonly packs?: readonly PackRecord[];
}

/** A list as a bundle carries it. */
export interface ListPart {
  readonly list_id: string;
  readonly name: string;
  readonly scope: PartScope;
  readonly items: readonly string[];
}

/** An output schema as a bundle carries it. */
export interface SchemaPart {
  readonly schema_id: string;
  readonly name: string;
  readonly version: number;
  readonly schema: JsonObject;
}

/** The policies of a bundle's parts, as an engine takes them. */
export function policySources(parts: readonly StoredPart[]): BundlePolicySource[] {
  return policyParts(parts).map((part) => {
    const { policy_id: policyId, name, version, scope, document, packs = [] } = part;
    const { tenant_id: tenantId, app_id: appId, agent_id: agentId, env } = scope;
    return { policyId, name, version, scope: { tenantId, appId, agentId, env }, document, packs: packsOf(packs) };
  });
}

/** The lists of a bundle's parts, as an engine takes them. */
export function listSources(parts: readonly StoredPart[]): NamedList[] {
  return listParts(parts).map(namedList);
}

/** The output schemas of a bundle's parts, as an engine takes them. */
export function schemaSources(parts: readonly StoredPart[]): SchemaSource[] {
  return readParts<SchemaPart>(parts, "schemas/").map(schemaOfPart);
}

/** The language overlays of a bundle's parts, as an engine takes them. */
export function overlaySources(parts: readonly StoredPart[]): Overlay[] {
  return readParts<JsonValue>(parts, overlayFolder).map(readOverlay);
}

/** A list of a bundle, as an engine takes it. */
function namedList({ name, scope, items }: ListPart): NamedList {
  const { tenant_id: tenantId, app_id: appId, agent_id: agentId, env } = scope;
  return { name, items, scope: { tenantId, appId, agentId, env } };
}

/** A stored list whose items are not parsed yet: parsing is left to a process that may take the time. */
export interface ListText {
  readonly name: string;
  readonly scope: NamedList["scope"];
  /** Its items as JSON. */
  readonly itemsText: string;
}

/** A list with its items parsed. */
export function parsedList({ name, scope, itemsText }: ListText): NamedList {
  return { name, scope, items: JSON.parse(itemsText) as readonly string[] }; // what this control plane stored
}

/** The schema of a part. */
function schemaOfPart({ schema_id: schemaId, name, version, schema }: SchemaPart): SchemaSource {
  return { schemaId, name, version, schema };
}

/** The policies of a bundle's parts, as it carries them. */
export function policyParts(parts: readonly StoredPart[]): PolicyPart[] {
  return readParts<PolicyPart>(parts, "policies/");
}

/** The lists of a bundle's parts, as it carries them. */
export function listParts(parts: readonly StoredPart[]): ListPart[] {
  return readParts<ListPart>(parts, "lists/");
}

function readParts<Part>(parts: readonly StoredPart[], folder: string): Part[] {
  const ours = parts.filter(({ path }) => path.startsWith(folder));
  // This control plane wrote them.
  return ours.map(({ data }) => JSON.parse(Buffer.from(data).toString("utf8")) as Part);
}
