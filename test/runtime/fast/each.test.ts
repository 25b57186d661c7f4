// Many evaluations over one call: the short way against Connect's adapter, on the same live runtime, message by message, and both against the
// unary calls. A query, which methods ignore, makes a call take the ordinary way.

import { readdirSync, readFileSync } from "node:fs";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { join } from "node:path";
import { create, fromBinary, fromJsonString, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageReader } from "../../../gateway/json-read.ts";
import { Problems } from "../../../gateway/problem.ts";
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
import { type EvaluateVector, EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/evaluate-stage.ts";
import { expanded } from "../../harness/placeholder.ts";

const { evaluateEach, evaluateInput, evaluateOutput, evaluateToolCall, evaluateToolResult, evaluateRetrieval } =
  EvaluationService.method;
const stages = {
  "": { stage: Stage.UNSPECIFIED, unary: evaluateInput },
  input: { stage: Stage.INPUT, unary: evaluateInput },
  output: { stage: Stage.OUTPUT, unary: evaluateOutput },
  "tool-call": { stage: Stage.TOOL_CALL, unary: evaluateToolCall },
  "tool-result": { stage: Stage.TOOL_RESULT, unary: evaluateToolResult },
  retrieval: { stage: Stage.RETRIEVAL, unary: evaluateRetrieval },
} as const;

const folder = join(import.meta.dirname, "..", "..", "vectors", "evaluate");
const vectors = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".json"))
  .sort()
  .map((file) => ({
    name: file.slice(0, -".json".length),
    vector: fromJsonString(EvaluateVectorSchema, readFileSync(join(folder, file), "utf8")),
  }))
  .filter(({ vector }) => vector.stage in stages && vector.before.length === 0 && requestOf(vector) !== undefined);

/** The message of a vector; undefined for one that cannot be written as a message. */
function requestOf({ rawBody, request = {}, stage }: EvaluateVector): EvaluateRequest | undefined {
  if (rawBody !== undefined) return undefined;
  const message = create(EvaluateRequestSchema);
  const problems = new Problems();
  messageReader(EvaluateRequestSchema).into(message, expanded(request as JsonObject), "", problems); // a JSON object
  message.stage ||= stages[stage as keyof typeof stages].stage;
  return problems.fault() === undefined ? message : undefined;
}

function framed(bytes: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes.byteLength, 1);
  return Buffer.concat([head, bytes]);
}

function eachFrame(id: string, request: EvaluateRequest | undefined): Buffer {
  return framed(toBinary(EvaluateEachRequestSchema, create(EvaluateEachRequestSchema, { id, request })));
}

interface Ended {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly messages: Buffer[];
}

type Talk = (stream: ReturnType<ClientHttp2Session["request"]>) => void | Promise<void>;

function call(session: ClientHttp2Session, path: string, headers: IncomingHttpHeaders, talk: Talk): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":method": "POST", ":path": path, ...headers });
    const ended = { headers: {}, trailers: {} };
    const chunks: Buffer[] = [];
    stream.on("response", (given) => Object.assign(ended.headers, given));
    stream.on("trailers", (given) => Object.assign(ended.trailers, given));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve({ ...ended, messages: messagesIn(Buffer.concat(chunks)) }));
    stream.on("error", reject);
    Promise.resolve(talk(stream)).catch(reject);
  });
}

function messagesIn(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    expect(bytes[at]).toBe(0);
    messages.push(bytes.subarray(at + 5, end));
    at = end;
  }
  return messages;
}

/** A call without what differs from call to call. */
function comparable({ headers, trailers, messages }: Ended, isGiven = false): object {
  const { date: _, ...others } = headers;
  // A call that fails at once is told in its headers by one way, in its trailers by the other.
  const { ":status": status, "content-type": type, "x-request-id": id, ...told } = { ...others, ...trailers };
  return { status, type, id, told, messages: messages.map((bytes) => resultOf(bytes, isGiven)) };
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
  let live: EvaluateStage;
  let bare: EvaluateStage;
  const sessions = new Map<EvaluateStage, ClientHttp2Session>();

  beforeAll(async () => {
    live = await startEvaluateStage();
    bare = await startEvaluateStage();
  });

  afterAll(async () => {
    for (const session of sessions.values()) session.close();
    await live.stop();
    await bare.stop();
  });

  function sessionOf(stage: EvaluateStage): ClientHttp2Session {
    const known = sessions.get(stage);
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = connect(stage.url);
    sessions.set(stage, session);
    return session;
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
    talk: Talk,
    { headers = headersOf(stage), isGiven = false }: { headers?: IncomingHttpHeaders; isGiven?: boolean } = {},
  ): Promise<Ended> {
    const fast = await call(sessionOf(stage), path, headers, talk);
    const ordinary = await call(sessionOf(stage), `${path}?ordinary`, headers, talk);
    expect(comparable(fast, isGiven)).toEqual(comparable(ordinary, isGiven));
    return fast;
  }

  const hello = create(EvaluateRequestSchema, { text: "write to ada@lovelace.dev" });
  const empty = create(EvaluateRequestSchema);

  async function adoptFirst(): Promise<void> {
    const first = vectors.find(({ name }) => name === "outcome/redact_styles") ?? vectors[0];
    if (first === undefined) throw new Error("there are no vectors");
    await live.adopt(await bundleOf(first.vector));
  }

  it.each(vectors)("are those of single calls: $name", async ({ vector }) => {
    const stage = vector.withoutBundle ? bare : live;
    if (!vector.withoutBundle) await live.adopt(await bundleOf(vector));
    const request = requestOf(vector);
    if (request === undefined) throw new Error("left out above");
    const isGiven = request.evaluationId !== undefined;
    const frame = eachFrame("a", request);
    const { messages, trailers } = await bothWays(stage, (stream) => void stream.end(frame), {
      headers: headersOf(stage, vector.as),
      isGiven,
    });
    const { unary } = stages[vector.stage as keyof typeof stages];
    const body = framed(toBinary(EvaluateRequestSchema, request));
    const single = await call(
      sessionOf(stage),
      `/${EvaluationService.typeName}/${unary.name}`,
      headersOf(stage, vector.as),
      (stream) => void stream.end(body),
    );
    const [answer] = messages;
    if (answer === undefined) {
      expect(trailers["grpc-status"]).toBe(single.trailers["grpc-status"] ?? single.headers["grpc-status"]);
      return;
    }
    const { result } = fromBinary(EvaluateEachResponseSchema, answer);
    if (result.case === "error") {
      expect(single.messages).toEqual([]);
      expect(encodeURIComponent(result.value.message)).toBe(
        single.trailers["grpc-message"] ?? single.headers["grpc-message"],
      );
      return;
    }
    const expected = fromBinary(EvaluateResponseSchema, single.messages[0] ?? Buffer.alloc(0));
    expected.latencyUs = 0;
    if (!isGiven) expected.evaluationId = "";
    expect(resultOf(answer, isGiven)).toMatchObject({ id: "a", response: toJson(EvaluateResponseSchema, expected) });
  });

  it("come in order, and one that is refused does not end the call", async () => {
    await adoptFirst();
    const requests = Array.from({ length: 300 }, (_, index) =>
      eachFrame(String(index), index % 3 === 1 ? empty : hello),
    );
    const { messages, trailers } = await bothWays(live, (stream) => void stream.end(Buffer.concat(requests)));
    const results = messages.map((bytes) => fromBinary(EvaluateEachResponseSchema, bytes));
    expect(results.map(({ id }) => id)).toEqual(requests.map((_, index) => String(index)));
    expect(results.slice(0, 3).map(({ result }) => result.case)).toEqual(["response", "error", "response"]);
    expect(trailers["grpc-status"]).toBe("0");
  });

  it("are the same however the call is cut", async () => {
    await adoptFirst();
    const whole = Buffer.concat(
      [hello, empty, hello, undefined, hello].map((each, index) => eachFrame(`m${index}`, each)),
    );
    const uncut = comparable(await call(sessionOf(live), path, headersOf(live), (stream) => void stream.end(whole)));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 6 }), fc.boolean(), async (cuts, isHurried) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const ended = await call(sessionOf(live), path, headersOf(live), async (stream) => {
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
    await adoptFirst();
    const { messages } = await bothWays(live, (stream) => {
      let asked = 0;
      const ask = () => void (asked++ < 20 ? stream.write(eachFrame(`n${asked}`, hello)) : stream.end());
      stream.on("data", ask);
      ask();
    });
    expect(messages).toHaveLength(20);
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
    await adoptFirst();
    await bothWays(live, (stream) => void stream.end(body));
  });

  it.each<[string, string, Record<string, string>]>([
    ["without a token", "anonymous", {}],
    ["with a token of nobody", "unknown", {}],
    ["with a token of another kind", "ci", {}],
    ["with a deadline", "", { "grpc-timeout": "5S" }],
    ["in an unknown compression", "", { "grpc-encoding": "zip" }],
  ])("leave a call %s to the ordinary way", async (_, persona, more) => {
    await adoptFirst();
    const headers = headersOf(live, persona, more);
    await bothWays(live, (stream) => void stream.end(eachFrame("a", hello)), { headers });
  });

  it.each(["", "?ordinary"])("end when the token is good no more: the path %j", async (query) => {
    await adoptFirst();
    const { messages, headers, trailers } = await call(
      sessionOf(live),
      path + query,
      headersOf(live),
      async (stream) => {
        stream.write(eachFrame("a", hello));
        await new Promise((resolve) => stream.once("data", resolve));
        live.revoke("runtime");
        stream.write(eachFrame("b", hello));
      },
    );
    expect(messages).toHaveLength(1);
    expect({ ...headers, ...trailers }).toMatchObject({ "grpc-status": "16" });
  });
});
