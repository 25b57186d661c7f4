import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { RetentionSchema } from "../../../gen/policyguard/control/v1/retention_pb.ts";
import type { RetentionService } from "../../../gen/policyguard/control/v1/retention_service_pb.ts";
import type { Retention, RetentionSettings } from "../../domain/telemetry/retention.ts";
import { callerOf } from "../../kit/rpc/context.ts";

/** Handlers of RetentionService. */
export function retentionHandlers(settings: RetentionSettings): ServiceImpl<typeof RetentionService> {
  return {
    getRetention: async (_request, context) => ({
      retention: retentionMessage(await settings.get(callerOf(context))),
    }),
    updateRetention: async ({ traceDays, textDays, evidenceDays }, context) => ({
      retention: retentionMessage(await settings.update(callerOf(context), { traceDays, textDays, evidenceDays })),
    }),
  };
}

function retentionMessage(retention: Retention): MessageInitShape<typeof RetentionSchema> {
  const { traceDays, textDays, evidenceDays, ...rest } = retention;
  const set = { traceDays: traceDays ?? undefined, textDays: textDays ?? undefined };
  return { ...set, evidenceDays: evidenceDays ?? undefined, ...rest };
}
