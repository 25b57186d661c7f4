// One HTTP exchange that passes through Envoy: the request is judged as a transcript, each turn at its own stage, and
// the answer as an output. Bodies come whole: a policy is about the whole text.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HeaderMap } from "../../../gen/envoy/config/core/v3/base_pb.ts";
import { ProcessingMode_BodySendMode as BodyMode } from "../../../gen/envoy/extensions/filters/http/ext_proc/v3/processing_mode_pb.ts";
import type {
  HttpHeaders,
  ProcessingRequest,
  ProtocolConfiguration,
} from "../../../gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { EvaluateRequestSchema, type EvaluateResponse } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { Fault, validationFailed } from "../../../src/kit/fault/fault.ts";
import { assertValid } from "../../../src/kit/fault/validation.ts";
import type { Logger } from "../../../src/kit/observability/log.ts";
import { nameOf, outcomes } from "../../engine/policy/enum-names.ts";
import type { Evaluator } from "../../evaluate/evaluator.ts";
import type { EvaluationKind } from "../../request/request-checks.ts";
import { invalid } from "../payload.ts";
import { reasonOf } from "../reason.ts";
import { type Answer, type BodyCase, type Facts, proceed, refuse, refuseUnjudged, replaceBody } from "./answer.ts";
import { type ChatBody, readChatAnswer, readChatRequest } from "./chat-body.ts";
import { readChatEvents } from "./chat-events.ts";

/** What becomes of an exchange that cannot be judged. */
export type FailureMode = "fail_closed" | "fail_open";

/** What exchanges need from their process. */
export interface ExchangeParts {
  readonly evaluator: Pick<Evaluator, "judge">;
  readonly failureMode: FailureMode;
  readonly log: Logger;
  /** Counts an exchange that could not be judged. */
  readonly onUnjudged: (fault: Fault) => void;
}

type Headers = ReadonlyMap<string, string>;

/** Other paths have other shapes, of which a server might read members that nobody judged. */
const chatPath = /\/chat\/completions\/?(\?|$)/;

const none: Headers = new Map();
const maxLabelLength = 256;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** One exchange. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #judged = new Set<BodyCase>();
  #request = none;
  #response = none;
  #asksNothing = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** What to do at this moment. Throws validation_failed for a way of sending bodies that cannot be judged. */
  async answer({ request, protocolConfig }: ProcessingRequest): Promise<Answer> {
    if (protocolConfig !== undefined) checkModes(protocolConfig);
    switch (request.case) {
      case "requestHeaders":
        this.#request = headersOf(request.value);
        this.#asksNothing = request.value.endOfStream;
        return proceed(request.case);
      case "responseHeaders":
        this.#response = headersOf(request.value);
        return proceed(request.case);
      case "requestBody":
      case "responseBody":
        return this.#answerBody(request.case, request.value.body);
      case undefined:
        throw validationFailed([{ field: "request", message: "value is required" }]);
      default:
        return proceed(request.case);
    }
  }

  async #answerBody(moment: BodyCase, body: Uint8Array): Promise<Answer> {
    if (this.#judged.has(moment)) throw modeRefused(moment);
    this.#judged.add(moment);
    if (body.length === 0 || (moment === "responseBody" && !this.#isAnswer())) return proceed(moment);
    try {
      return await this.#judge(moment, this.#read(moment, body));
    } catch (error) {
      return this.#unjudged(error, () => proceed(moment));
    }
  }

  #unjudged(error: unknown, pass: () => Answer): Answer {
    const fault = this.#faultOf(error);
    this.#parts.onUnjudged(fault);
    return this.#parts.failureMode === "fail_open" ? pass() : refuseUnjudged(fault);
  }

  /** Whether a response is the answer to something: not to a request without a body, and not an error. */
  #isAnswer(): boolean {
    const status = this.#response.get(":status");
    return !this.#asksNothing && (status === undefined || status.startsWith("2"));
  }

  #read(moment: BodyCase, body: Uint8Array): ChatBody {
    const headers = moment === "requestBody" ? this.#request : this.#response;
    const path = this.#request.get(":path");
    if (path !== undefined && !chatPath.test(path)) throw invalid(":path", "expected that of chat completions");
    const encoding = headers.get("content-encoding") ?? "identity";
    if (encoding !== "identity") throw invalid("content-encoding", "expected a body that is not compressed");
    const text = textOf(body);
    if (moment === "requestBody") return readChatRequest(text);
    return headers.get("content-type")?.startsWith("text/event-stream") ? readChatEvents(text) : readChatAnswer(text);
  }

  async #judge(moment: BodyCase, body: ChatBody): Promise<Answer> {
    let facts: Facts | undefined;
    let isRewritten = false;
    const goOn = () => (isRewritten && facts ? replaceBody(moment, body.print(), facts) : proceed(moment, facts));
    for (const { kind, content } of partsOf(moment, body)) {
      try {
        const response = await this.#evaluate({ ...this.#contextOf(body), ...content }, kind);
        const { outcome } = response;
        if (outcome === Outcome.BLOCK) return refuse(reasonOf(response, outcome), factsOf(response));
        if (outcome === Outcome.REDACT) rewrite(body, response);
        isRewritten ||= outcome === Outcome.REDACT;
        if (facts === undefined || outcome === Outcome.REDACT) facts = factsOf(response);
      } catch (error) {
        // What was decided before stays decided.
        return this.#unjudged(error, goOn);
      }
    }
    return goOn();
  }

  async #evaluate(content: Content, kind: EvaluationKind): Promise<EvaluateResponse> {
    const request = create(EvaluateRequestSchema, content);
    assertValid(EvaluateRequestSchema, request, (field) => headerFields[field] ?? field);
    return this.#parts.evaluator.judge(request, kind);
  }

  #contextOf({ model, user }: ChatBody): Content {
    const requestId = this.#request.get("x-request-id")?.slice(0, maxLabelLength);
    return {
      agentId: this.#request.get("x-policy-guard-agent"),
      sessionId: this.#request.get("x-policy-guard-session"),
      subject: user === undefined ? undefined : { userId: user.slice(0, maxLabelLength) },
      model: model === undefined ? undefined : { name: model.slice(0, maxLabelLength) },
      metadata: { gateway: "envoy", ...(requestId === undefined ? {} : { request_id: requestId }) },
    };
  }

  #faultOf(error: unknown): Fault {
    if (error instanceof Fault) return error;
    this.#parts.log.error({ err: error }, "internal error in an exchange of Envoy");
    return new Fault(Reason.INTERNAL, "internal error");
  }
}

const headerFields: Readonly<Record<string, string>> = {
  agent_id: "x-policy-guard-agent",
  session_id: "x-policy-guard-session",
};

type Content = Exclude<MessageInitShape<typeof EvaluateRequestSchema>, { $typeName: string }>;

interface Part {
  readonly kind: EvaluationKind;
  readonly content: Content;
}

function partsOf(moment: BodyCase, { texts, calls }: ChatBody): Part[] {
  const parts: Part[] = [];
  if (texts.length > 0) {
    const kind = moment === "requestBody" ? "transcript" : Stage.OUTPUT;
    parts.push({ kind, content: { segments: texts.map(({ id, role, text }) => ({ id, role, text })) } });
  }
  if (calls.length > 0) {
    const toolCalls = calls.map(({ id, name, arguments: value }) => ({ id, name, arguments: value }));
    parts.push({ kind: Stage.TOOL_CALL, content: { toolCalls } });
  }
  return parts;
}

function rewrite({ texts, calls }: ChatBody, { redactedSegments, toolCalls }: EvaluateResponse): void {
  const rewrittenTexts = new Map(redactedSegments.map(({ id, text }) => [id, text]));
  for (const text of texts) {
    const rewritten = rewrittenTexts.get(text.id);
    if (rewritten !== undefined) text.rewrite(rewritten);
  }
  const rewrittenCalls = new Map(toolCalls.map((call) => [call.id, call.arguments]));
  for (const call of calls) {
    const rewritten = rewrittenCalls.get(call.id);
    if (rewritten !== undefined) call.rewrite(rewritten);
  }
}

function factsOf({ outcome, evaluationId }: EvaluateResponse): Facts {
  return { outcome: nameOf(outcomes, outcome), evaluation_id: evaluationId };
}

function headersOf({ headers }: HttpHeaders): Headers {
  const found = new Map<string, string>();
  for (const { key, value, rawValue } of (headers satisfies HeaderMap | undefined)?.headers ?? []) {
    const text = rawValue.length > 0 ? Buffer.from(rawValue).toString("latin1") : value;
    // A doubled header is joined as HTTP joins it. The result matches no pattern, so it is refused: nothing here can
    // tell which of the two the proxy set.
    found.set(key, found.has(key) ? `${found.get(key)}, ${text}` : text);
  }
  return found;
}

function textOf(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw invalid("", "expected UTF-8");
  }
}

/** Bodies in pieces would be on their way before the whole text is judged; cut bodies hide their end. */
function checkModes({ requestBodyMode, responseBodyMode }: ProtocolConfiguration): void {
  for (const [moment, mode] of [
    ["requestBody", requestBodyMode],
    ["responseBody", responseBodyMode],
  ] as const) {
    if (mode !== BodyMode.NONE && mode !== BodyMode.BUFFERED) throw modeRefused(moment);
  }
}

function modeRefused(moment: BodyCase): Fault {
  const field = moment === "requestBody" ? "request_body_mode" : "response_body_mode";
  return validationFailed([{ field, message: "expected BUFFERED: a policy judges whole texts" }]);
}
