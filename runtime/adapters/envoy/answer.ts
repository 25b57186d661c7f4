// What Envoy is told to do with an exchange.

import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { HeaderValueOption_HeaderAppendAction as Append } from "../../../gen/envoy/config/core/v3/base_pb.ts";
import type {
  ProcessingRequest,
  ProcessingResponseSchema,
} from "../../../gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { type Fault, reasonRule } from "../../../src/kit/fault/fault.ts";

/** One answer to Envoy. */
export type Answer = Exclude<MessageInitShape<typeof ProcessingResponseSchema>, { $typeName: string }>;

/** A moment of the exchange at which Envoy has sent a body. */
export type BodyCase = "requestBody" | "responseBody";

/** Facts about a decision, for Envoy's access log. */
export type Facts = Readonly<Record<"outcome" | "evaluation_id", string>>;

/** Headers that are taken from the request before it goes on. */
const removedHeaders = [
  "x-policy-guard-agent",
  "x-policy-guard-session",
  // The answer has to be readable.
  "accept-encoding",
];

const encoder = new TextEncoder();

/** Goes on. */
export function proceed(moment: ProcessingRequest["request"]["case"], facts?: Facts): Answer {
  const dynamicMetadata = facts && metadataOf(facts);
  if (moment === "requestHeaders") {
    return { response: { case: moment, value: { response: { headerMutation: { removeHeaders: removedHeaders } } } } };
  }
  if (moment === undefined) throw new Error("an answer needs its moment");
  return { response: { case: moment, value: {} }, dynamicMetadata };
}

/** Goes on with another body. */
export function replaceBody(moment: BodyCase, text: string, facts: Facts): Answer {
  const body = encoder.encode(text);
  const response = {
    headerMutation: { setHeaders: [header("content-length", String(body.length))] },
    bodyMutation: { mutation: { case: "body" as const, value: body } },
  };
  return { response: { case: moment, value: { response } }, dynamicMetadata: metadataOf(facts) };
}

/** Ends the exchange: a policy says so. */
export function refuse(message: string, facts: Facts): Answer {
  return endWith(403, { message, type: "policy_violation", code: "blocked_by_policy" }, metadataOf(facts));
}

/** Ends the exchange: nothing could be decided. */
export function refuseUnjudged({ reason, message }: Fault): Answer {
  const { httpStatus, error } = reasonRule(reason);
  return endWith(httpStatus, { message, type: "guard_error", code: error === "" ? "guard_error" : error });
}

// Errors have the form of OpenAI's, so that its clients show the message.
function endWith(status: number, error: JsonObject, dynamicMetadata?: JsonObject): Answer {
  const value = {
    status: { code: status },
    headers: { setHeaders: [header("content-type", "application/json")] },
    body: encoder.encode(JSON.stringify({ error: { ...error, param: null } })),
    details: `policy_guard_${error.code}`,
  };
  return { response: { case: "immediateResponse", value }, dynamicMetadata };
}

function metadataOf(facts: Facts): JsonObject {
  return { policy_guard: facts };
}

function header(key: string, value: string) {
  return { header: { key, rawValue: encoder.encode(value) }, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD };
}
