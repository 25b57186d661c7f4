// Runs every vector of calls with many evaluations on a live runtime over gRPC and Connect: with all requests sent at
// once, and with each sent when the answer to the one before it has come.

import { join } from "node:path";
import { create, type JsonValue, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageTextEncoder } from "../gateway/json/encode-text.ts";
import { ErrorDetailSchema } from "../gen/policyguard/common/v1/reason_pb.ts";
import { EvaluateResponseSchema } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  type EvaluateEachRequestSchema,
  type EvaluateEachResponse,
  EvaluationService,
} from "../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { type EachStep, type EachVector, EachVectorSchema } from "../gen/policyguard/testing/v1/each_vector_pb.ts";
import { EvaluateVectorSchema } from "../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { reasonRule } from "../src/kit/fault/fault.ts";
import type { EvaluateStage } from "./harness/vector/evaluate-stage.ts";
import { type EvaluateStages, startEvaluateStages } from "./harness/vector/evaluate-stages.ts";
import { requestMessageOf } from "./harness/vector/evaluate-vector.ts";
import { mismatches } from "./harness/vector/match.ts";
import { expanded } from "./harness/vector/placeholder.ts";
import { readVectorsOf } from "./harness/vector/vector.ts";

const vectors = readVectorsOf(EachVectorSchema, join(import.meta.dirname, "vectors", "each"));
const protocols = ["gRPC", "Connect"] as const;
const manners = ["at once", "one by one"] as const;
const printResponse = messageTextEncoder(EvaluateResponseSchema);

interface Given {
  readonly stage: EvaluateStage;
  readonly vector: EachVector;
  readonly protocol: (typeof protocols)[number];
  readonly manner: (typeof manners)[number];
}

interface Answered {
  readonly answers: readonly EvaluateEachResponse[];
  /** Value of detail.error of the call; "" where it ended well. */
  readonly error: string;
}

/** An answer as a unary call over REST would have it. */
interface Single {
  readonly status: number;
  readonly error: string;
  readonly fields: readonly string[];
  readonly body: JsonValue;
}

describe("on a live runtime", () => {
  let stages: EvaluateStages;
  const connections = new Map<string, Http2SessionManager>();

  beforeAll(async () => {
    stages = await startEvaluateStages();
  });

  afterAll(async () => {
    for (const connection of connections.values()) connection.abort();
    await stages.stop();
  });

  it.each(vectors)("$name: $vector.description", async ({ vector }) => {
    const { policies, withoutBundle } = vector;
    const stage = await stages.play(create(EvaluateVectorSchema, { policies, withoutBundle }));
    for (const protocol of protocols) {
      for (const manner of manners) {
        const { answers, error } = await callEach({ stage, vector, protocol, manner });
        const about = `${protocol}, ${manner}`;
        expect(error, about).toBe(vector.error);
        const wanted = vector.requests.filter(({ want }) => want !== undefined);
        expect(
          answers.map(({ id }) => id),
          about,
        ).toEqual(wanted.map(({ id }) => id));
        for (const [index, answer] of answers.entries()) check(wanted[index], answer, `${about}, answer ${index + 1}`);
      }
    }
  });

  function connectionTo(url: string): Http2SessionManager {
    const connection = connections.get(url) ?? new Http2SessionManager(url);
    connections.set(url, connection);
    return connection;
  }

  async function callEach({ stage, vector, protocol, manner }: Given): Promise<Answered> {
    const options = { baseUrl: stage.url, sessionManager: connectionTo(stage.url) };
    const transport =
      protocol === "gRPC" ? createGrpcTransport(options) : createConnectTransport({ ...options, httpVersion: "2" });
    const token = stage.tokenOf(vector.as);
    const headers: HeadersInit = token === undefined ? {} : { authorization: `Bearer ${token}` };
    let came = Promise.withResolvers<void>();
    const requests = async function* () {
      for (const [index, step] of vector.requests.entries()) {
        if (manner === "one by one" && index > 0) await came.promise;
        came = Promise.withResolvers<void>();
        yield messageOf(step);
      }
    };
    const answers: EvaluateEachResponse[] = [];
    try {
      for await (const answer of createClient(EvaluationService, transport).evaluateEach(requests(), { headers })) {
        answers.push(answer);
        came.resolve();
      }
      return { answers, error: "" };
    } catch (error) {
      const [detail] = ConnectError.from(error).findDetails(ErrorDetailSchema);
      if (detail === undefined) throw error;
      return { answers, error: detail.error };
    } finally {
      came.resolve();
    }
  }
});

function messageOf({ id, request }: EachStep): MessageInitShape<typeof EvaluateEachRequestSchema> {
  if (request === undefined) return { id };
  const message = requestMessageOf({ request });
  if (message === undefined) throw new Error(`the request ${id} cannot be written as a message`);
  return { id, request: message };
}

function check(step: EachStep | undefined, answer: EvaluateEachResponse, about: string): void {
  const want = step?.want;
  const { body, fields, ...single } = singleOf(answer);
  expect(single, about).toEqual({ status: want?.status || 200, error: want?.error });
  expect(fields, about).toEqual(expect.arrayContaining(want?.fields ?? []));
  if (want?.body !== undefined) expect(mismatches(expanded(toJson(ValueSchema, want.body)), body), about).toEqual([]);
  for (const text of want?.absent ?? []) expect(JSON.stringify(body), about).not.toContain(expanded(text));
}

function singleOf({ result }: EvaluateEachResponse): Single {
  if (result.case === "response")
    return { status: 200, error: "", fields: [], body: JSON.parse(printResponse(result.value)) };
  const detail = result.value?.detail;
  if (detail === undefined) throw new Error("an answer has a response or a detailed error");
  const fields = (detail.extra?.fields as { field: string }[] | undefined) ?? [];
  return {
    status: reasonRule(detail.reason).httpStatus,
    error: detail.error,
    fields: fields.map(({ field }) => field),
    body: result.value?.message ?? "",
  };
}
