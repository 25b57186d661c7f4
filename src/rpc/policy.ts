import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Scope, ScopeSchema } from "../../gen/policyguard/common/v1/scope_pb.ts";
import type {
  PolicySchema,
  PolicySummarySchema,
  PolicyVersionSchema,
} from "../../gen/policyguard/control/v1/policy_pb.ts";
import type { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { Policies } from "../domain/policy.ts";
import { callerOf } from "../kit/context.ts";
import { pageOf } from "./page.ts";
import type { PlaygroundHandlers } from "./playground.ts";
import type { HistoryHandlers } from "./policy-history.ts";
import { timestamp } from "./time.ts";

type Current = Awaited<ReturnType<Policies["get"]>>;
type Row = Current["policy"];
type Version = Current["current"];

/** The handlers of PolicyService that are about policies as such. */
export function policyHandlers(
  policies: Policies,
): Omit<ServiceImpl<typeof PolicyService>, keyof HistoryHandlers | keyof PlaygroundHandlers> {
  return {
    createPolicy: async ({ document, scope, message }, context) => {
      const input = { document: documentOf(document), scope: scopeInput(scope), message };
      return { policy: policyMessage(await policies.create(callerOf(context), input)) };
    },
    listPolicies: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await policies.list(callerOf(context), page, request.name || undefined);
      return { total, ...page, policies: rows.map(summaryMessage) };
    },
    getPolicy: async ({ policyId }, context) => ({
      policy: policyMessage(await policies.get(callerOf(context), policyId)),
    }),
    updatePolicy: async ({ policyId, document, scope, message, expectedVersion }, context) => {
      const input = { document: documentOf(document), scope: scope && scopeInput(scope), message, expectedVersion };
      return { policy: policyMessage(await policies.update(callerOf(context), policyId, input)) };
    },
    deletePolicy: async ({ policyId }, context) => {
      await policies.delete(callerOf(context), policyId);
      return {};
    },
    listPolicyVersions: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await policies.listVersions(callerOf(context), request.policyId, page);
      return { total, ...page, versions: rows.map(versionMessage) };
    },
    validatePolicy: async ({ document }) => {
      const checked = policies.check(documentOf(document));
      const valid = checked.document !== undefined && checked.tests.every((test) => test.passed);
      return {
        valid,
        document: checked.document,
        problems: checked.problems.map((problem) => ({ ...problem })),
        tests: checked.tests.map((test) => ({ ...test, failures: [...test.failures] })),
        untilVerdict: [...checked.untilVerdict()],
      };
    },
  };
}

/** A document as it was sent. */
export function documentOf(value: Value | undefined) {
  return value === undefined ? null : toJson(ValueSchema, value);
}

function scopeInput(scope: Scope | undefined) {
  return scope === undefined ? undefined : { appId: scope.appId, agentId: scope.agentId, env: scope.env };
}

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

function summaryMessage(row: Row): MessageInitShape<typeof PolicySummarySchema> {
  return {
    id: row.id,
    orgId: row.orgId,
    name: row.name,
    scope: scopeMessage(row),
    version: row.version,
    description: row.description ?? undefined,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
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
