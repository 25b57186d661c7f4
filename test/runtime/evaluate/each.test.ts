// Many evaluations over one call: the fast path against Connect's adapter, on the same live runtime, message by
// message, and both against the unary calls. A query, which methods ignore, makes a call take the ordinary way.

import type { IncomingHttpHeaders } from "node:http2";
import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  EvaluateResponseSchema,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  EvaluateEachRequestSchema,
  EvaluateEachResponseSchema,
  EvaluationService,
} from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { EvaluateStep, EvaluateVector } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { reportSample } from "../../../scripts/assurance/sample.ts";
import { callHttp2, type Http2Answer, Http2Sessions, type Http2Talk } from "../../harness/net/http2-call.ts";
import { framed, messagesIn } from "../../harness/vector/envelope.ts";
import type { EvaluateStage } from "../../harness/vector/evaluate-stage.ts";
import { type EvaluateStages, startEvaluateStages } from "../../harness/vector/evaluate-stages.ts";
import { redactingVector, requestMessageOf, sampledVectors } from "../../harness/vector/evaluate-vector.ts";

const { evaluateEach, evaluateInput, evaluateOutput, evaluateToolCall, evaluateToolResult, evaluateRetrieval } =
  EvaluationService.method;
const routes = {
  "": { stage: Stage.UNSPECIFIED, unary: evaluateInput },
  input: { stage: Stage.INPUT, unary: evaluateInput },
  output: { stage: Stage.OUTPUT, unary: evaluateOutput },
  "tool-call": { stage: Stage.TOOL_CALL, unary: evaluateToolCall },
  "tool-result": { stage: Stage.TOOL_RESULT, unary: evaluateToolResult },
  retrieval: { stage: Stage.RETRIEVAL, unary: evaluateRetrieval },
} as const;

const vectors = sampledVectors.filter(({ vector }) => vector.stage in routes && requestOf(vector) !== undefined);

/**
 * The message of a vector, or of a step before it, with its stage; undefined for one that cannot be written as a
 * message.
 */
function requestOf(given: EvaluateVector | EvaluateStep): EvaluateRequest | undefined {
  const message = requestMessageOf(given);
  if (message !== undefined) message.stage ||= routes[given.stage as keyof typeof routes].stage;
  return message;
}

function eachFrame(id: string, request: EvaluateRequest | undefined): Buffer {
  return framed(toBinary(EvaluateEachRequestSchema, create(EvaluateEachRequestSchema, { id, request })));
}

/** A call without what differs from call to call. */
function comparable({ headers, trailers, body }: Http2Answer, isGiven = false): object {
  const { date: _, ...others } = headers;
  // A call that fails at once is told in its headers by one way, in its trailers by the other.
  const { ":status": status, "content-type": type, "x-request-id": id, ...told } = { ...others, ...trailers };
  return { status, type, id, told, messages: messagesIn(body).map((bytes) => resultOf(bytes, isGiven)) };
}

function resultOf(bytes: Buffer, isGiven: boolean): object {
  const message = fromBinary(EvaluateEachResponseSchema, bytes);
  const { result } = message;
  if (result.case === "response") {
    result.value.latencyUs = 0;
    if (!isGiven) result.value.evaluationId = "";
  }
  return toJson(EvaluateEachResponseSchema, message) as object; // a message is an object
}

describe("many evaluations over one call", () => {
  let stages: EvaluateStages;
  const sessions = new Http2Sessions();

  beforeAll(async () => {
    stages = await startEvaluateStages();
  });

  afterAll(async () => {
    sessions.close();
    await stages.stop();
    reportSample({ n: vectors.length, failures: 0 });
  });

  function call(stage: EvaluateStage, path: string, headers: IncomingHttpHeaders, talk: Http2Talk) {
    return callHttp2(sessions.to(stage.url), { path, headers }, talk);
  }

  function headersOf(stage: EvaluateStage, persona = "", more: Record<string, string> = {}): IncomingHttpHeaders {
    const token = stage.tokenOf(persona);
    const headers: Record<string, string> = { "content-type": "application/grpc", "x-request-id": "the-same", ...more };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    return headers;
  }

  const path = `/${EvaluationService.typeName}/${evaluateEach.name}`;

  async function bothWays(
    stage: EvaluateStage,
    talk: Http2Talk,
    { headers = headersOf(stage), isGiven = false }: { headers?: IncomingHttpHeaders; isGiven?: boolean } = {},
  ): Promise<Http2Answer> {
    const fast = await call(stage, path, headers, talk);
    const ordinary = await call(stage, `${path}?ordinary`, headers, talk);
    expect(comparable(fast, isGiven)).toEqual(comparable(ordinary, isGiven));
    return fast;
  }

  const hello = create(EvaluateRequestSchema, { text: "write to ada@lovelace.dev" });
  const empty = create(EvaluateRequestSchema);

  it.each(vectors)("are those of unary calls: $name", async ({ vector }) => {
    const stage = await stages.play(vector);
    const request = requestOf(vector);
    if (request === undefined) throw new Error("left out above");
    const isGiven = request.evaluationId !== undefined;
    const before = vector.before.map((step) => eachFrame("before", requestOf(step)));
    const frames = Buffer.concat([...before, eachFrame("a", request)]);
    const { body: answers, trailers } = await bothWays(stage, (stream) => void stream.end(frames), {
      headers: headersOf(stage, vector.as),
      isGiven,
    });
    const { unary } = routes[vector.stage as keyof typeof routes];
    const body = framed(toBinary(EvaluateRequestSchema, request));
    const single = await call(
      stage,
      `/${EvaluationService.typeName}/${unary.name}`,
      headersOf(stage, vector.as),
      (stream) => void stream.end(body),
    );
    const answer = messagesIn(answers)[before.length];
    if (answer === undefined) {
      expect(trailers["grpc-status"]).toBe(single.trailers["grpc-status"] ?? single.headers["grpc-status"]);
      return;
    }
    const { result } = fromBinary(EvaluateEachResponseSchema, answer);
    if (result.case === "error") {
      expect(single.body).toHaveLength(0);
      expect(encodeURIComponent(result.value.message)).toBe(
        single.trailers["grpc-message"] ?? single.headers["grpc-message"],
      );
      return;
    }
    const expected = fromBinary(EvaluateResponseSchema, messagesIn(single.body)[0] ?? Buffer.alloc(0));
    expected.latencyUs = 0;
    if (!isGiven) expected.evaluationId = "";
    expect(resultOf(answer, isGiven)).toMatchObject({ id: "a", response: toJson(EvaluateResponseSchema, expected) });
  });

  it("come in order, and one that is refused does not end the call", async () => {
    const live = await stages.play(redactingVector);
    const requests = Array.from({ length: 300 }, (_, index) =>
      eachFrame(String(index), index % 3 === 1 ? empty : hello),
    );
    const { body, trailers } = await bothWays(live, (stream) => void stream.end(Buffer.concat(requests)));
    const results = messagesIn(body).map((bytes) => fromBinary(EvaluateEachResponseSchema, bytes));
    expect(results.map(({ id }) => id)).toEqual(requests.map((_, index) => String(index)));
    expect(results.slice(0, 3).map(({ result }) => result.case)).toEqual(["response", "error", "response"]);
    expect(trailers["grpc-status"]).toBe("0");
  });

  it("refuse a stage that does not exist", async () => {
    const live = await stages.play(redactingVector);
    const request = create(EvaluateRequestSchema, { text: "hello" });
    // No type allows it; an encoded message may have it.
    Object.assign(request, { stage: 99 });
    const { body } = await bothWays(live, (stream) => void stream.end(eachFrame("a", request)));
    const [answer = Buffer.alloc(0)] = messagesIn(body);
    const { result } = fromBinary(EvaluateEachResponseSchema, answer);
    expect(result.case === "error" ? result.value.message : result.case).toMatch(/stage/);
  });

  it("are the same wherever the call is cut", async () => {
    const live = await stages.play(redactingVector);
    const whole = Buffer.concat(
      [hello, empty, hello, undefined, hello].map((each, index) => eachFrame(`m${index}`, each)),
    );
    const uncut = comparable(await call(live, path, headersOf(live), (stream) => void stream.end(whole)));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 6 }), fc.boolean(), async (cuts, isHurried) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const ended = await call(live, path, headersOf(live), async (stream) => {
          for (let i = 1; i < places.length; i++) {
            stream.write(whole.subarray(places[i - 1], places[i]));
            if (!isHurried) await new Promise((resolve) => setImmediate(resolve));
          }
          stream.end();
        });
        expect(comparable(ended)).toEqual(uncut);
      }),
      { numRuns: 150, seed: 3 },
    );
  });

  it("answer a caller who waits for each answer before the next request", async () => {
    const live = await stages.play(redactingVector);
    const { body } = await bothWays(live, (stream) => {
      let asked = 0;
      const ask = () => void (asked++ < 20 ? stream.write(eachFrame(`n${asked}`, hello)) : stream.end());
      stream.on("data", ask);
      ask();
    });
    expect(messagesIn(body)).toHaveLength(20);
  });

  it.each<[string, Buffer]>([
    ["no message", Buffer.alloc(0)],
    ["a message without a request", eachFrame("x", undefined)],
    [
      "an id that is too long",
      Buffer.concat([eachFrame("x", hello), eachFrame("y".repeat(129), hello), eachFrame("z", hello)]),
    ],
    ["an id of as many characters as it may have", eachFrame("😀".repeat(128), hello)],
    ["an envelope that is cut off", Buffer.concat([eachFrame("x", hello), eachFrame("y", hello).subarray(0, 9)])],
    ["half a head", Buffer.concat([eachFrame("x", hello), Buffer.from([0, 0])])],
    [
      "a message that says that it is compressed",
      Buffer.concat([eachFrame("x", hello), framed(Buffer.from("zip"), 1)]),
    ],
    ["bytes that are no message", Buffer.concat([eachFrame("x", hello), framed(Buffer.from([0xff, 0xff]))])],
    ["a message beyond the limit", Buffer.concat([Buffer.from([0, 0x7f, 0, 0, 0]), Buffer.from("a")])],
  ])("refuse %s as the ordinary way does", async (_, body) => {
    const live = await stages.play(redactingVector);
    await bothWays(live, (stream) => void stream.end(body));
  });

  it.each<[string, string, Record<string, string>]>([
    ["without a token", "anonymous", {}],
    ["with a token of nobody", "unknown", {}],
    ["with a token of another kind", "ci", {}],
    ["with a deadline", "", { "grpc-timeout": "5S" }],
    ["in an unknown compression", "", { "grpc-encoding": "zip" }],
  ])("leave a call %s to the ordinary way", async (_, persona, more) => {
    const live = await stages.play(redactingVector);
    const headers = headersOf(live, persona, more);
    await bothWays(live, (stream) => void stream.end(eachFrame("a", hello)), { headers });
  });

  it.each(["", "?ordinary"])("end when the token is no longer valid: the path %j", async (query) => {
    const live = await stages.play(redactingVector);
    const { body, headers, trailers } = await call(live, path + query, headersOf(live), async (stream) => {
      stream.write(eachFrame("a", hello));
      await new Promise((resolve) => stream.once("data", resolve));
      live.revoke("runtime");
      stream.write(eachFrame("b", hello));
    });
    expect(messagesIn(body)).toHaveLength(1);
    expect({ ...headers, ...trailers }).toMatchObject({ "grpc-status": "16" });
  });
});
