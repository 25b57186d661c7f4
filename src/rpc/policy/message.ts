import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ScopeSchema } from "../../../gen/policyguard/common/v1/scope_pb.ts";
import type {
  PolicySchema,
  PolicySummarySchema,
  PolicyVersionSchema,
} from "../../../gen/policyguard/control/v1/policy_pb.ts";
import type { Policies } from "../../domain/policy/policy.ts";
import { timestamp } from "../time.ts";

type Current = Awaited<ReturnType<Policies["get"]>>;
type Row = Current["policy"];
type Version = Current["current"];
type About = Pick<Awaited<ReturnType<Policies["list"]>>, "places" | "ruleCounts">;

function scopeMessage(row: Row): MessageInitShape<typeof ScopeSchema> {
  return { tenantId: row.orgId, appId: row.appId, agentId: row.agentId, env: row.env };
}

/** A policy with its newest document. */
export function policyMessage({ policy, current }: Current): MessageInitShape<typeof PolicySchema> {
  return {
    id: policy.id,
    orgId: policy.orgId,
    name: policy.name,
    scope: scopeMessage(policy),
    version: policy.version,
    document: current.document,
    source: current.source ?? undefined,
    message: current.message ?? undefined,
    createdAt: timestamp(policy.createdAt),
    updatedAt: timestamp(policy.updatedAt),
  };
}

/** A policy without its document, how many rules it has, and where it is active. */
export function summaryMessage(row: Row, { places, ruleCounts }: About): MessageInitShape<typeof PolicySummarySchema> {
  return {
    id: row.id,
    orgId: row.orgId,
    name: row.name,
    scope: scopeMessage(row),
    version: row.version,
    description: row.description ?? undefined,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
    ruleCount: ruleCounts.get(row.id) ?? 0,
    activeIn: places
      .filter((place) => place.policy_id === row.id)
      .map(({ project_id, environment, bundle_version, version }) => ({
        ...{ projectId: project_id, environment, bundleVersion: bundle_version, version },
      })),
  };
}

/** A version of a policy. */
export function versionMessage(row: Version): MessageInitShape<typeof PolicyVersionSchema> {
  return {
    version: row.version,
    document: row.document,
    source: row.source ?? undefined,
    message: row.message ?? undefined,
    author: row.author,
    createdAt: timestamp(row.createdAt),
  };
}
