import { setImmediate as tick } from "node:timers/promises";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { EvaluateRequest } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Explanation } from "../../gen/policyguard/policy/v1/explanation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationService } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { Fault } from "../../src/kit/fault/fault.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import type { Clock } from "../../src/kit/process/clock.ts";
import { entriesOf, pageOf } from "../../src/kit/rpc/page.ts";
import type { BundleHolder } from "../bundle/active-bundle.ts";
import type { Peers } from "../cluster/peer-socket.ts";
import { catalog } from "../engine/detectors/catalog.ts";
import { detectorCatalogIds } from "../engine/policy/catalog-id.ts";
import { evaluateBatch } from "../evaluate/batch.ts";
import type { Evaluator } from "../evaluate/evaluator.ts";
import { restorePlaceholders } from "../session/restore.ts";
import type { SessionStore } from "../session/session-store.ts";
import { type EachParts, eachHandler } from "./each.ts";
import { type StreamParts, streamHandlers } from "./stream.ts";

/** The parts that the handlers use. */
export interface EvaluationParts extends StreamParts, EachParts {
  readonly evaluator: Evaluator;
  readonly holder: BundleHolder;
  readonly sessions: SessionStore;
  /** The other processes; undefined when there is one. */
  readonly peers: Peers | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Handlers of EvaluationService. */
export function evaluationHandlers(parts: EvaluationParts): ServiceImpl<typeof EvaluationService> {
  const { evaluator, holder, sessions, peers, clock, log } = parts;
  const explain = oneAtATime((request) => evaluator.explain(request));
  return {
    evaluateInput: (request) => evaluator.evaluate(request, Stage.INPUT),
    evaluateOutput: (request) => evaluator.evaluate(request, Stage.OUTPUT),
    evaluateToolCall: (request) => evaluator.evaluate(request, Stage.TOOL_CALL),
    evaluateToolResult: (request) => evaluator.evaluate(request, Stage.TOOL_RESULT),
    evaluateRetrieval: (request) => evaluator.evaluate(request, Stage.RETRIEVAL),
    evaluateConversation: (request) => evaluator.evaluate(request, "transcript"),
    evaluateBatch: async ({ requests }, { signal }) => {
      // Without a bundle none of the requests could be judged.
      holder.require();
      return { results: await evaluateBatch(requests, evaluator, { signal, log }) };
    },
    evaluateSchema: async (request) => evaluator.judgeSchema(request),
    restorePlaceholders: async (request) => {
      if (peers?.keep(request.sessionId) !== true) return restorePlaceholders(request, sessions, clock.now().getTime());
      const answer = await peers.restore(request);
      if (answer !== undefined) return answer;
      throw new Fault(Reason.UNAVAILABLE, "the process that keeps the session is not available at the moment");
    },
    explainEvaluation: async (request) => ({ explanation: await explain(request) }),
    ...streamHandlers(parts),
    ...eachHandler(parts),
    listLoadedDetectors: (request) => {
      const page = pageOf(request);
      const used = new Set(holder.loaded?.engine.detectors);
      const detectors = catalog.filter(({ id }) => used.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
      return {
        total: detectors.length,
        ...page,
        detectors: entriesOf(detectors, page).map(({ id, displayName, version, categories, languages, costClass }) => ({
          ...{ id: detectorCatalogIds.idOf(id), name: id, displayName, version, costClass },
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

// An explanation blocks the process for a while; the event loop runs between two of them.
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
      await tick();
      return await explain(request);
    } finally {
      setImmediate(() => {
        isBusy = false;
      });
    }
  };
}
