// Policies and bundles of a server for programs, in the spelling of the REST API.

import type { JsonObject } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Bundle } from "../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleState } from "../../gen/policyguard/control/v1/bundle_pb.ts";
import type { Policy, PolicySummary } from "../../gen/policyguard/control/v1/policy_pb.ts";
import { wholeSeconds } from "../kit/process/clock.ts";

/** A policy without its document. */
export function policyJson(policy: Policy | PolicySummary): JsonObject {
  const { id, name, version, scope, createdAt, updatedAt } = policy;
  return {
    id,
    name,
    version,
    scope: { app_id: scope?.appId ?? "*", agent_id: scope?.agentId ?? "*", env: scope?.env ?? "*" },
    created_at: timeText(createdAt),
    updated_at: timeText(updatedAt),
  };
}

const states: ReadonlyMap<BundleState, string> = new Map([
  [BundleState.PUBLISHED, "published"],
  [BundleState.ACTIVE, "active"],
  [BundleState.SUPERSEDED, "superseded"],
]);

/** A bundle's facts. */
export function bundleJson(bundle: Bundle): JsonObject {
  return {
    id: bundle.id,
    project_id: bundle.projectId,
    environment: bundle.environment,
    version: bundle.version,
    state: bundleState(bundle),
    digest: bundle.digest,
    content_digest: bundle.contentDigest,
    policies: bundle.policies.map(({ policyId, name, version }) => ({ policy_id: policyId, name, version })),
    tests: { passed: bundle.tests?.passed ?? 0, failed: bundle.tests?.failed ?? 0 },
    created_at: timeText(bundle.createdAt),
    activated_at: timeText(bundle.activatedAt),
    activation_seq: bundle.activationSeq ?? null,
  };
}

/** "published", "active" or "superseded". */
function bundleState({ state }: Bundle): string {
  return states.get(state) ?? "unknown";
}

/** A time as RFC 3339 with whole seconds; null for none. */
export function timeText(time: Timestamp | undefined): string | null {
  return time === undefined ? null : wholeSeconds(timestampDate(time));
}
