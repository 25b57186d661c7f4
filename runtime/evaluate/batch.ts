// A batch: each request is read, checked and judged as if it came alone. The event loop runs between them.

import { setImmediate as tick } from "node:timers/promises";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { messageDecoder } from "../../gateway/json/decode.ts";
import { messageEncoder } from "../../gateway/json/encode.ts";
import { Problems } from "../../gateway/json/problems.ts";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  EvaluateResponseSchema,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Fault, reasonRule } from "../../src/kit/fault/fault.ts";
import { assertValid } from "../../src/kit/fault/validation.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { statedKind } from "../request/request-checks.ts";
import type { Evaluator } from "./evaluator.ts";

/** Max time that a batch blocks the process. */
const sliceMs = 2;

const reader = messageDecoder(EvaluateRequestSchema);
const write = messageEncoder(EvaluateResponseSchema);

/**
 * The results of a batch, one for each request, in order. Throws when the signal is aborted, since nobody waits any
 * more.
 */
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
    await tick();
    signal.throwIfAborted();
    sliceEndsMs = performance.now() + sliceMs;
  }
  return results;
}

async function resultOf(json: JsonObject, evaluator: Evaluator, log: Logger): Promise<JsonObject> {
  try {
    const request = requestOf(json);
    return write(await evaluator.judge(request, statedKind(request)));
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
