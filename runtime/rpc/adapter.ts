import type { ServiceImpl } from "@connectrpc/connect";
import type { AdapterService } from "../../gen/policyguard/runtime/v1/adapter_service_pb.ts";
import { applyGuardrail } from "../adapters/lite-llm.ts";
import { createModeration } from "../adapters/moderation.ts";
import type { Evaluator } from "../evaluate/evaluator.ts";

/** Handlers of AdapterService. */
export function adapterHandlers(evaluator: Evaluator): ServiceImpl<typeof AdapterService> {
  return {
    applyLiteLlmGuardrail: async ({ payload = {} }) => ({ answer: await applyGuardrail(payload, evaluator) }),
    createModeration: async ({ payload = {} }, { signal }) => ({
      answer: await createModeration(payload, evaluator, { signal }),
    }),
  };
}
