import type { MessageInitShape } from "@bufbuild/protobuf";
import { fromJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type {
  DiffPolicyVersionsResponseSchema,
  PolicyService,
} from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { PolicyHistory, VersionDiff } from "../../domain/policy/history.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { policyMessage, versionMessage } from "./message.ts";

/** The handlers of PolicyService that are about versions. */
export type HistoryHandlers = Pick<
  ServiceImpl<typeof PolicyService>,
  "getPolicyVersion" | "restorePolicyVersion" | "diffPolicyVersions"
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
    diffPolicyVersions: async ({ policyId, from, to }, context) =>
      diffMessage(policyId, await history.diff(callerOf(context), policyId, { from, to }, context.signal)),
  };
}

function diffMessage(
  policyId: string,
  { from, to, strictness, reasons, changes, counterexamples }: VersionDiff,
): MessageInitShape<typeof DiffPolicyVersionsResponseSchema> {
  return {
    policyId,
    from,
    to,
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
