// Failures as REST answers: {"detail": {"error", "message", ...}}, or {"detail": "text"} where the catalogue has no
// code; below some paths in another form.

import type { OutgoingHttpHeaders } from "node:http";
import type { JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type FieldPath, type Violations, ViolationsSchema } from "../../gen/buf/validate/validate_pb.ts";
import { ErrorDetailSchema, Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, reasonRule, toConnectError, validationFailed } from "../../src/kit/fault/fault.ts";
import { forwardHeaders } from "../http/header.ts";
import { type Answer, jsonAnswer } from "../http/http.ts";
import { errorForm } from "../route/error-form.ts";

/** The answer to a failed request of a path. `error` is anything that was thrown; internals stay out of the answer. */
export function errorAnswer(error: unknown, requestId: string, path = ""): Answer {
  const failure = error instanceof Fault ? toConnectError(error) : ConnectError.from(error);
  const { reason, message, extra } = describe(failure, requestId);
  const rule = reasonRule(reason);
  const failed = { status: rule.httpStatus, code: rule.error, message, extra: without(extra) };
  const headers = { ...forwardHeaders(failure.metadata), ...ownHeaders(failure.cause) };
  const { mediaType, bodyOf, statusOf, headersOf } = errorForm(path);
  // Browsers only follow a Location that comes with a redirect.
  const status = "location" in headers ? 302 : (statusOf?.(failed) ?? failed.status);
  return jsonAnswer(status, bodyOf(failed), {
    "content-type": `${mediaType}; charset=utf-8`,
    "x-request-id": requestId,
    ...headersOf?.(failed),
    ...headers,
  });
}

// Of a fault in this process all headers are meant for the answer, those too that an RPC would use for itself.
function ownHeaders(cause: unknown): OutgoingHttpHeaders {
  if (!(cause instanceof Fault)) return {};
  return Object.fromEntries(Object.entries(cause.headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Further keys never replace the two that every typed error has. */
function without({ error: _error, message: _message, ...extra }: JsonObject): JsonObject {
  return extra;
}

interface Description {
  readonly reason: Reason;
  readonly message: string;
  readonly extra: JsonObject;
}

function describe(error: ConnectError, requestId: string): Description {
  const [detail] = error.findDetails(ErrorDetailSchema);
  if (detail !== undefined && hasRule(detail.reason)) {
    return { reason: detail.reason, message: error.rawMessage, extra: detail.extra ?? {} };
  }
  const [violations] = error.findDetails(ViolationsSchema);
  if (violations !== undefined) return describeViolations(violations);
  return { ...fromCode(error.code, requestId), extra: {} };
}

/** A server of a newer version may know reasons that this gateway does not. */
function hasRule(reason: Reason): boolean {
  try {
    reasonRule(reason);
    return true;
  } catch {
    return false;
  }
}

function describeViolations({ violations }: Violations): Description {
  const fault = validationFailed(
    violations.map((violation) => ({ field: fieldPath(violation.field), message: violation.message })),
  );
  return { reason: fault.reason, message: fault.message, extra: fault.extra };
}

function fieldPath(path: FieldPath | undefined): string {
  let text = "";
  for (const { fieldName, subscript } of path?.elements ?? []) {
    text += text === "" ? fieldName : `.${fieldName}`;
    if (subscript.case === "stringKey") text += `[${JSON.stringify(subscript.value)}]`;
    else if (subscript.case !== undefined) text += `[${subscript.value}]`;
  }
  return text;
}

/** Failures that the framework raises by itself. Their own text may name internals, so it is not passed on. */
const byCode: ReadonlyMap<Code, readonly [Reason, string]> = new Map([
  [Code.InvalidArgument, [Reason.MALFORMED_REQUEST, "the request cannot be read"]],
  [Code.Unauthenticated, [Reason.UNAUTHENTICATED, "missing or invalid credential"]],
  [Code.PermissionDenied, [Reason.INSUFFICIENT_SCOPE, "the credential may not do this"]],
  [Code.NotFound, [Reason.NOT_FOUND, "no such resource"]],
  [Code.AlreadyExists, [Reason.ALREADY_EXISTS, "it already exists"]],
  [Code.Aborted, [Reason.CONFLICT, "another change came first"]],
  [Code.FailedPrecondition, [Reason.CONFLICT, "the resource's state does not allow this"]],
  [Code.ResourceExhausted, [Reason.TOO_LARGE, "the request is too large"]],
  [Code.DeadlineExceeded, [Reason.DEADLINE_EXCEEDED, "the call did not finish within its time limit"]],
  [Code.Unavailable, [Reason.UNAVAILABLE, "the service is not available at the moment"]],
  [Code.Canceled, [Reason.UNAVAILABLE, "the call was canceled"]],
  [Code.Unimplemented, [Reason.UNKNOWN_PATH, "this server does not have the operation"]],
]);

function fromCode(code: Code, requestId: string): { readonly reason: Reason; readonly message: string } {
  const [reason, message] = byCode.get(code) ?? [Reason.INTERNAL, `the server failed; request id ${requestId}`];
  return { reason, message };
}
