import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ViolationsSchema } from "../../../gen/buf/validate/validate_pb.ts";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../../src/kit/fault/fault.ts";
import { useFailingServices } from "./failing-services.ts";

const { get, raised } = useFailingServices();

describe("errors that handlers and the framework raise", () => {
  test("a fault has its status, code, extra keys and headers", async () => {
    const got = await raised(
      new Fault(Reason.RATE_LIMITED, "slow down", {
        extra: { retry_after: 7, error: "x" },
        headers: { "Retry-After": "7" },
      }),
    );
    expect(got).toMatchObject({ status: 429, error: "rate_limited", message: "slow down", retry_after: 7 });
    expect(got.headers.get("retry-after")).toBe("7");
  });

  test("an unknown exception is 500 and tells nothing but the request id", async () => {
    const got = await raised(new Error("password=hunter2"));
    expect(got).toMatchObject({ status: 500, error: "internal" });
    expect(got.message).not.toContain("hunter2");
    expect(got.message).toContain(got.headers.get("x-request-id"));
  });

  test("violations of protovalidate are 422 with field paths", async () => {
    const value = create(ViolationsSchema, {
      violations: [
        {
          message: "too short",
          field: {
            elements: [
              { fieldName: "events", subscript: { case: "index", value: 2n } },
              { fieldName: "labels", subscript: { case: "stringKey", value: "k" } },
            ],
          },
        },
      ],
    });
    const error = new ConnectError("bad", Code.InvalidArgument, undefined, [{ desc: ViolationsSchema, value }]);
    expect(await raised(error)).toMatchObject({
      status: 422,
      error: "validation_failed",
      fields: [{ field: 'events[2].labels["k"]', message: "too short" }],
    });
  });

  test.each([
    [Code.InvalidArgument, 400],
    [Code.Unauthenticated, 401],
    [Code.PermissionDenied, 403],
    [Code.NotFound, 404],
    [Code.Unimplemented, 404],
    [Code.AlreadyExists, 409],
    [Code.Aborted, 409],
    [Code.ResourceExhausted, 413],
    [Code.Unavailable, 503],
    [Code.Canceled, 503],
    [Code.DeadlineExceeded, 504],
    [Code.Internal, 500],
    [Code.DataLoss, 500],
    [Code.Unknown, 500],
  ])("a bare Connect error with code %i is %i, without its own text", async (code, status) => {
    const got = await raised(new ConnectError("internal words", code));
    expect(got.status).toBe(status);
    expect(got.message).not.toContain("internal words");
  });

  test("a method that the transport does not have is 404", async () => {
    expect(await get("/v1/orgs/o1/policies/p1")).toMatchObject({ status: 404, error: "unknown_path" });
  });
});
