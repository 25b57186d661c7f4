import { setImmediate as turn } from "node:timers/promises";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { EvaluateRequest } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Explanation } from "../../gen/policyguard/policy/v1/explanation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationService } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { Clock } from "../../src/kit/clock.ts";
import { Fault } from "../../src/kit/error.ts";
import type { Logger } from "../../src/kit/log.ts";
import { evaluateBatch } from "../batch.ts";
import { catalog } from "../engine/detectors/catalog.ts";
import type { Evaluator } from "../evaluator.ts";
import type { BundleHolder } from "../loaded-bundle.ts";
import type { Siblings } from "../process/sibling.ts";
import { restorePlaceholders } from "../restore.ts";
import type { SessionStore } from "../session/session-store.ts";
import { type EachParts, eachHandler } from "./each.ts";
import { type StreamParts, streamHandlers } from "./stream.ts";

/** What the handlers work with. */
export interface EvaluationParts extends StreamParts, EachParts {
  readonly evaluator: Evaluator;
  readonly holder: BundleHolder;
  readonly sessions: SessionStore;
  /** The other processes; undefined when there is one. */
  readonly siblings: Siblings | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Handlers of EvaluationService. */
export function evaluationHandlers(parts: EvaluationParts): ServiceImpl<typeof EvaluationService> {
  const { evaluator, holder, sessions, siblings, clock, log } = parts;
  const explain = oneAtATime((request) => evaluator.explain(request));
  return {
    evaluateInput: (request) => evaluator.evaluate(request, Stage.INPUT),
    evaluateOutput: (request) => evaluator.evaluate(request, Stage.OUTPUT),
    evaluateToolCall: (request) => evaluator.evaluate(request, Stage.TOOL_CALL),
    evaluateToolResult: (request) => evaluator.evaluate(request, Stage.TOOL_RESULT),
    evaluateRetrieval: (request) => evaluator.evaluate(request, Stage.RETRIEVAL),
    evaluateConversation: (request) => evaluator.evaluate(request, "transcript"),
    evaluateBatch: async ({ requests }, { signal }) => {
      // Without a bundle nothing of it could be judged.
      holder.require();
      return { results: await evaluateBatch(requests, evaluator, { signal, log }) };
    },
    evaluateSchema: async (request) => evaluator.judgeSchema(request),
    restorePlaceholders: async (request) => {
      if (siblings?.keep(request.sessionId) !== true)
        return restorePlaceholders(request, sessions, clock.now().getTime());
      const answer = await siblings.restore(request);
      if (answer !== undefined) return answer;
      throw new Fault(Reason.UNAVAILABLE, "the process that keeps the session is away for the moment");
    },
    explainEvaluation: async (request) => ({ explanation: await explain(request) }),
    ...streamHandlers(parts),
    ...eachHandler(parts),
    listLoadedDetectors: () => {
      const used = new Set(holder.loaded?.engine.detectors);
      const detectors = catalog.filter(({ id }) => used.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
      return {
        detectors: detectors.map(({ id, displayName, version, categories, languages, costClass }) => ({
          ...{ id, displayName, version, costClass },
          categories: [...categories],
          languages: [...languages],
        })),
      };
    },
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

// An explanation keeps the process busy; between two of them others get a turn.
function oneAtATime(
  explain: (request: EvaluateRequest) => Promise<Explanation>,
): (request: EvaluateRequest) => Promise<Explanation> {
  let isBusy = false;
  return async (request) => {
    if (isBusy) {
      throw new Fault(Reason.OVERLOADED, "another explanation is being made; try again", {
        extra: { retry_after: 1 },
        headers: { "Retry-After": "1" },
      });
    }
    isBusy = true;
    try {
      await turn();
      return await explain(request);
    } finally {
      setImmediate(() => {
        isBusy = false;
      });
    }
  };
}
