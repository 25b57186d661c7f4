import type { ServiceImpl } from "@connectrpc/connect";
import type { Scope } from "../../../gen/policyguard/common/v1/scope_pb.ts";
import { ProblemCode } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import type { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { CheckedDocument } from "../../domain/analysis/check-policy.ts";
import type { Policies } from "../../domain/policy/policy.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf, searchOf } from "../../kit/rpc/page.ts";
import { documentOf } from "../document.ts";
import type { PlaygroundHandlers } from "../playground/playground.ts";
import type { HistoryHandlers } from "./history.ts";
import { policyMessage, summaryMessage, versionMessage } from "./message.ts";

/** The handlers of PolicyService that are about policies as such. */
export function policyHandlers(
  policies: Policies,
): Omit<ServiceImpl<typeof PolicyService>, keyof HistoryHandlers | keyof PlaygroundHandlers> {
  return {
    createPolicy: async ({ document, scope, message }, context) => {
      const input = { document: documentOf(document), scope: scopeInput(scope), message };
      return { policy: policyMessage(await policies.create(callerOf(context), input, context.signal)) };
    },
    listPolicies: async (request, context) => {
      const page = pageOf(request);
      const { appId, name } = request;
      const filter = { appId: appId?.toLowerCase(), name: name || undefined, ...searchOf(request) };
      const { rows, total, ...about } = await policies.list(callerOf(context), page, filter);
      return { total, ...page, policies: rows.map((row) => summaryMessage(row, about)) };
    },
    getPolicy: async ({ policyId }, context) => ({
      policy: policyMessage(await policies.get(callerOf(context), policyId)),
    }),
    updatePolicy: async ({ policyId, document, scope, message, expectedVersion }, context) => {
      const input = { document: documentOf(document), scope: scope && scopeInput(scope), message, expectedVersion };
      return { policy: policyMessage(await policies.update(callerOf(context), policyId, input, context.signal)) };
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
    validatePolicy: async ({ document, skipTests: skipsTests }, context) => {
      const asker = { orgId: callerOf(context).orgId, signal: context.signal };
      const checked = await policies.validate(asker, documentOf(document), { skipsTests });
      const valid = checked.document !== undefined && checked.tests.every((test) => test.passed);
      return {
        valid,
        document: checked.document,
        problems: checked.problems.map((problem) => ({ ...problem, code: codeOf(problem) })),
        tests: checked.tests.map((test) => ({ ...test, failures: [...test.failures] })),
        untilVerdict: [...checked.untilVerdict],
      };
    },
  };
}

/** The names of the enum are the engine's, in upper case. */
function codeOf({ code }: CheckedDocument["problems"][number]): ProblemCode {
  return ProblemCode[code.toUpperCase() as Uppercase<typeof code>];
}

function scopeInput(scope: Scope | undefined) {
  return scope === undefined ? undefined : { appId: scope.appId, agentId: scope.agentId, env: scope.env };
}
