import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { type FieldViolation, validationFailed } from "../../fault/fault.ts";
import { wrongTimes } from "../../fault/time-range.ts";
import { assertValid, violationsOf } from "../../fault/validation.ts";
import { type Connection, connectionKey } from "../context.ts";
import { isParameter } from "../parameter.ts";
import { peekStream } from "./stream.ts";

/** Validates every message of a request by the rules of its fields; messages of a stream as they are read. */
export function createValidateInterceptor(): Interceptor {
  async function* checkAll<T extends Message>(method: DescMethod, stream: AsyncIterable<T>): AsyncIterable<T> {
    for await (const message of stream) {
      assertValid(method.input, message);
      yield message;
    }
  }
  return (next) => async (req) => {
    const { readBody } = req.contextValues.get(connectionKey);
    if (!req.stream) {
      await check(req.method, req.message, readBody);
      return next(req);
    }
    if (req.method.methodKind !== "server_streaming")
      return next({ ...req, message: checkAll(req.method, req.message) });
    const { first, stream } = await peekStream(req.message);
    if (first !== undefined) await check(req.method, first, readBody);
    return next({ ...req, message: stream });
  };
}

// A parameter that fails its rules is reported even when the body could not be bound: both together count as a fault of
// the parameter.
async function check(method: DescMethod, message: Message, readBody: Connection["readBody"]): Promise<void> {
  const unbound = await readBody?.();
  const violations = [...violationsOf(method.input, message), ...wrongTimes(method.input, message)];
  if (unbound === undefined) {
    if (violations.length > 0) throw validationFailed(violations);
    return;
  }
  if (unbound.reason !== Reason.VALIDATION_FAILED) throw unbound;
  const told = unbound.extra.fields as unknown as readonly FieldViolation[]; // as validationFailed wrote them
  const isNew = ({ field }: FieldViolation) =>
    isParameter(method, field) && !told.some((other) => other.field === field);
  throw validationFailed([...told, ...violations.filter(isNew)]);
}
