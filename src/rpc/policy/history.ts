import type { ServiceImpl } from "@connectrpc/connect";
import type { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { DraftDiff, PolicyHistory } from "../../domain/policy/history.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { documentOf } from "../document.ts";
import { changeMessage } from "./change.ts";
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
    changes: changes.map(changeMessage),
    witnesses: counterexamples.map((counterexample) => ({ ...counterexample })),
  };
}
