import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { failureOf } from "../../console/data/failure.ts";
import { ErrorDetailSchema, Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";

function failed(code: Code, reason?: Reason, extra?: Record<string, never> | object) {
  const details =
    reason === undefined ? [] : [{ desc: ErrorDetailSchema, value: { reason, error: "code", extra: { ...extra } } }];
  return failureOf(new ConnectError("the server's sentence", code, { "x-request-id": "r1" }, details));
}

test.each([
  [Code.Unauthenticated, Reason.UNAUTHENTICATED, "signed_out"],
  [Code.Unauthenticated, Reason.SESSION_CHANGED, "session_changed"],
  [Code.FailedPrecondition, Reason.PAYMENT_REQUIRED, "billing_blocked"],
  [Code.PermissionDenied, Reason.PLAN_LIMIT_EXCEEDED, "plan_limit"],
  [Code.PermissionDenied, Reason.INSUFFICIENT_SCOPE, "refused"],
  [Code.NotFound, Reason.NOT_FOUND, "gone"],
  [Code.Aborted, Reason.VERSION_CONFLICT, "version_conflict"],
  [Code.FailedPrecondition, Reason.PROTECTED_ENVIRONMENT, "conflict"],
  [Code.InvalidArgument, Reason.VALIDATION_FAILED, "invalid"],
  [Code.ResourceExhausted, Reason.RATE_LIMITED, "wait"],
  [Code.Internal, Reason.INTERNAL, "broken"],
  [Code.Unavailable, undefined, "unreachable"],
])("%s with reason %s is %s", (code, reason, kind) => {
  expect(failed(code, reason)).toMatchObject({ kind, message: "the server's sentence", requestId: "r1" });
});

test("fields and the time to wait come from the detail", () => {
  const fields = [{ field: "name", message: "is too long" }, { field: 1 }, null];
  expect(failed(Code.InvalidArgument, Reason.VALIDATION_FAILED, { fields })).toMatchObject({
    fields: [{ field: "name", message: "is too long" }],
  });
  expect(failed(Code.ResourceExhausted, Reason.RATE_LIMITED, { retry_after: 7 }).retryAfter).toBe(7);
  const overtaken = { current_activation_seq: 0, current_version: null };
  expect(failed(Code.FailedPrecondition, Reason.CONFLICT, overtaken).activationSeq).toBe(0);
});

test("what is used of the plan and the role that is missing come from the detail", () => {
  const use = { limit: 10_000, used: 9_900, resets_at: "2026-12-01T00:00:00Z" };
  expect(failed(Code.ResourceExhausted, Reason.PLAN_LIMIT_EXCEEDED, use).planUse).toEqual({
    ...{ limit: 10_000, used: 9_900 },
    resetsAt: new Date("2026-12-01T00:00:00Z"),
  });
  for (const incomplete of [{ ...use, resets_at: "soon" }, { ...use, used: "9900" }, {}])
    expect(failed(Code.ResourceExhausted, Reason.PLAN_LIMIT_EXCEEDED, incomplete).planUse).toBeUndefined();
  expect(failed(Code.PermissionDenied, Reason.INSUFFICIENT_SCOPE, { role: "admin" }).role).toBe("admin");
  expect(failed(Code.PermissionDenied, Reason.INSUFFICIENT_SCOPE).role).toBeUndefined();
});

test("what is no answer of the server is told apart from one", () => {
  expect(failureOf(ConnectError.from(new TypeError("Failed to fetch"))).kind).toBe("unreachable");
  expect(failureOf(new TypeError("x is undefined"))).toMatchObject({ kind: "script", message: "x is undefined" });
});
