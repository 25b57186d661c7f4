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
    updateRetention: async ({ traceDays, textDays }, context) => ({
      retention: retentionMessage(await settings.update(callerOf(context), { traceDays, textDays })),
    }),
  };
}

function retentionMessage({ traceDays, textDays, ...rest }: Retention): MessageInitShape<typeof RetentionSchema> {
  return { traceDays: traceDays ?? undefined, textDays: textDays ?? undefined, ...rest };
}
