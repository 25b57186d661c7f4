import { fromJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { DraftDiff, PolicyHistory } from "../../domain/policy/history.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { documentOf } from "../document.ts";
import { policyMessage, versionMessage } from "./message.ts";

/** The handlers of PolicyService that are about versions. */
export type HistoryHandlers = Pick<
  ServiceImpl<typeof PolicyService>,
  "getPolicyVersion" | "restorePolicyVersion" | "diffPolicyVersions" | "diffPolicyDraft"
>;

/** Handlers of versions. */
export function historyHandlers(history: PolicyHistory): HistoryHandlers {
  return {
    getPolicyVersion: async ({ policyId, version }, context) => ({
      version: versionMessage(await history.get(callerOf(context), policyId, version)),
    }),
    restorePolicyVersion: async ({ policyId, version, message, expectedVersion }, context) => {
      const input = { message, expectedVersion };
      const restored = await history.restore(callerOf(context), policyId, version, input, context.signal);
      return { policy: policyMessage(restored) };
    },
    diffPolicyVersions: async ({ policyId, from, to }, context) => {
      const diff = await history.diff(callerOf(context), policyId, { from, to }, context.signal);
      return { policyId, to: diff.to, ...diffMessage(diff) };
    },
    diffPolicyDraft: async ({ policyId, from, document }, context) => {
      const draft = { from, document: documentOf(document) };
      return { policyId, ...diffMessage(await history.diffDraft(callerOf(context), policyId, draft, context.signal)) };
    },
  };
}

function diffMessage({ from, strictness, reasons, changes, counterexamples }: DraftDiff) {
  return {
    from,
    strictness,
    reasons: [...reasons],
    changes: changes.map(({ before, after, ...change }) => ({
      ...change,
      before: before === undefined ? undefined : fromJson(ValueSchema, before),
      after: after === undefined ? undefined : fromJson(ValueSchema, after),
    })),
    witnesses: counterexamples.map((counterexample) => ({ ...counterexample })),
  };
}
