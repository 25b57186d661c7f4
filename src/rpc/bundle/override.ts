import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { RuleOverrideSchema } from "../../../gen/policyguard/control/v1/override_pb.ts";
import type { OverrideService } from "../../../gen/policyguard/control/v1/override_service_pb.ts";
import type { Overrides } from "../../domain/bundle/override.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { timestamp } from "../time.ts";

const usualHours = 24;

/** Handlers of OverrideService. */
export function overrideHandlers(overrides: Overrides): ServiceImpl<typeof OverrideService> {
  return {
    listOverrides: async ({ projectId, envName: environment }, context) => {
      const found = await overrides.list(callerOf(context), { projectId, environment });
      return { total: found.length, overrides: found.map(overrideMessage) };
    },
    createOverride: async ({ projectId, envName, policyId, ruleId, reason, hours, calibrationId }, context) => {
      const path = { projectId, environment: envName };
      const input = {
        ...{ policyId: policyId.toLowerCase(), ruleId, reason, hours: hours ?? usualHours },
        calibrationId: calibrationId?.toLowerCase(),
      };
      return { override: overrideMessage(await overrides.create(callerOf(context), path, input, context.signal)) };
    },
    deleteOverride: async ({ projectId, envName: environment, overrideId }, context) => {
      await overrides.delete(callerOf(context), { projectId, environment }, overrideId.toLowerCase());
      return {};
    },
  };
}

/** An override in the API's form. */
export function overrideMessage(
  row: Awaited<ReturnType<Overrides["list"]>>[number],
): MessageInitShape<typeof RuleOverrideSchema> {
  const { id, orgId, projectId, environment, policyId, policy, ruleId, reason, createdBy, activationSeq } = row;
  return {
    ...{ id, orgId, projectId, environment, policyId, policy, ruleId, mode: "shadow", reason, createdBy },
    ...{ calibrationId: row.calibrationId ?? undefined, activationSeq },
    ...{ createdAt: timestamp(row.createdAt), until: timestamp(row.until) },
  };
}
