import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationService } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { Evaluator } from "../evaluator.ts";
import type { BundleHolder } from "../loaded-bundle.ts";

/** Handlers of EvaluationService. */
export function evaluationHandlers(evaluator: Evaluator, holder: BundleHolder): ServiceImpl<typeof EvaluationService> {
  return {
    evaluateInput: (request) => evaluator.evaluate(request, Stage.INPUT),
    evaluateOutput: (request) => evaluator.evaluate(request, Stage.OUTPUT),
    getLoadedBundle: () => {
      const { loaded, rejection } = holder;
      return {
        bundle: loaded?.reference,
        loadedAt: loaded && timestampFromDate(loaded.loadedAt),
        policies: loaded?.engine.policies.map(({ name }) => name) ?? [],
        confirmedAt: loaded?.confirmedAt && timestampFromDate(loaded.confirmedAt),
        rejection,
      };
    },
  };
}
