// What goes into a bundle: one part for each policy, in canonical bytes, so that equal policies make equal content.

import type { JsonObject } from "@bufbuild/protobuf";
import type { PolicySource } from "../../runtime/engine/compiled-policy.ts";
import { canonicalBytes } from "../kit/canonical.ts";
import { type PartEntry, partEntry } from "../kit/statement-payload.ts";
import { type BundledPolicy, loadParts, type PartReference } from "../store/bundle.ts";
import type { Transaction } from "../store/database.ts";
import type { CurrentPolicy } from "../store/policy.ts";

/** The content of a bundle before it is signed. */
export interface BundleContent {
  readonly parts: readonly (PartEntry & { readonly data: Uint8Array })[];
  readonly policies: readonly BundledPolicy[];
}

/** The content made of these policies. */
export function bundleContent(policies: readonly CurrentPolicy[]): BundleContent {
  return {
    parts: policies.map((policy) => {
      const path = `policies/${policy.policy.id}.json`;
      const data = canonicalBytes(policyPart(policy));
      return { ...partEntry(path, data), data };
    }),
    policies: policies.map(({ policy, current }) => ({
      policy_id: policy.id,
      name: policy.name,
      version: current.version,
    })),
  };
}

/** The policies of a bundle's parts, as an engine takes them. */
export function policySources(
  parts: readonly { readonly path: string; readonly data: Uint8Array }[],
): (PolicySource & { readonly document: JsonObject })[] {
  const ours = parts.filter(({ path }) => path.startsWith("policies/"));
  return ours.map(({ data }) => {
    // What this control plane wrote.
    const part = JSON.parse(Buffer.from(data).toString("utf8")) as ReturnType<typeof policyPart>;
    const { policy_id: policyId, name, version, scope, document } = part;
    const { tenant_id: tenantId, app_id: appId, agent_id: agentId, env } = scope;
    return { policyId, name, version, scope: { tenantId, appId, agentId, env }, document };
  });
}

/** The policies of a stored bundle, as they were signed; also those that are deleted by now. */
export async function storedPolicies(
  tx: Transaction,
  parts: readonly PartReference[],
): Promise<ReturnType<typeof policySources>> {
  const digests = parts.map(({ digest }) => digest);
  const stored = await loadParts(tx, digests);
  return policySources(
    parts.map(({ path, digest }) => {
      const data = stored.get(digest);
      if (data === undefined) throw new Error(`the part ${path} with the digest ${digest} is not stored`);
      return { path, data };
    }),
  );
}

/** A policy as a bundle carries it. The scope names a project by id and never an environment's own bundle. */
function policyPart({ policy, current }: CurrentPolicy) {
  return {
    policy_id: policy.id,
    name: policy.name,
    version: current.version,
    scope: { tenant_id: policy.orgId, app_id: policy.appId, agent_id: policy.agentId, env: policy.env },
    document: current.document,
  };
}
