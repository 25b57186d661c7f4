// A batch: each request is read, checked and judged as if it came alone. Between them the process answers others.

import { setImmediate as turn } from "node:timers/promises";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { messageReader } from "../gateway/json-read.ts";
import { messageWriter } from "../gateway/json-write.ts";
import { Problems } from "../gateway/problem.ts";
import { Reason } from "../gen/policyguard/common/v1/reason_pb.ts";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  EvaluateResponseSchema,
} from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Fault, reasonRule } from "../src/kit/error.ts";
import type { Logger } from "../src/kit/log.ts";
import { assertValid } from "../src/kit/validation.ts";
import type { Evaluator } from "./evaluator.ts";
import { statedMoment } from "./judgeable.ts";

/** How long a batch may work before others get a turn. */
const sliceMs = 2;

const reader = messageReader(EvaluateRequestSchema);
const write = messageWriter(EvaluateResponseSchema);

/** The results of a batch, one for each request, in order. Throws when the signal says that nobody waits any more. */
export async function evaluateBatch(
  requests: readonly JsonObject[],
  evaluator: Evaluator,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<JsonObject[]> {
  const results: JsonObject[] = [];
  let sliceEndsMs = performance.now() + sliceMs;
  for (const json of requests) {
    results.push(await resultOf(json, evaluator, log));
    if (performance.now() < sliceEndsMs) continue;
    await turn();
    signal.throwIfAborted();
    sliceEndsMs = performance.now() + sliceMs;
  }
  return results;
}

async function resultOf(json: JsonObject, evaluator: Evaluator, log: Logger): Promise<JsonObject> {
  try {
    const request = requestOf(json);
    return write(await evaluator.judge(request, statedMoment(request)));
  } catch (error) {
    if (!(error instanceof Fault)) log.error({ err: error }, "internal error in a batch");
    const fault = error instanceof Fault ? error : new Fault(Reason.INTERNAL, "internal error");
    return { error: { error: reasonRule(fault.reason).error, message: fault.message, ...fault.extra } };
  }
}

function requestOf(json: JsonObject): EvaluateRequest {
  const request = create(EvaluateRequestSchema);
  const problems = new Problems();
  reader.into(request, json, "", problems);
  const fault = problems.fault();
  if (fault !== undefined) throw fault;
  assertValid(EvaluateRequestSchema, request);
  return request;
}
