import type { DescMethod, Message } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import type { Interceptor } from "@connectrpc/connect";
import { connectionKey } from "../context.ts";
import { validationFailed } from "../error.ts";
import { peekStream } from "./stream.ts";

/** Holds every message of a request against the rules of its fields, those of a stream as they are read. */
export function createValidateInterceptor(): Interceptor {
  const validator = createValidator();
  const check = (method: DescMethod, message: Message) => {
    const result = validator.validate(method.input, message);
    if (result.kind === "error") throw result.error;
    if (result.kind === "valid") return;
    throw validationFailed(
      result.violations.map(({ field, message: text }) => ({ field: pathToString(field), message: text })),
    );
  };
  async function* checkAll<T extends Message>(method: DescMethod, stream: AsyncIterable<T>): AsyncIterable<T> {
    for await (const message of stream) {
      check(method, message);
      yield message;
    }
  }
  return (next) => async (req) => {
    const { bindFault } = req.contextValues.get(connectionKey);
    if (bindFault !== undefined) throw bindFault;
    if (!req.stream) {
      check(req.method, req.message);
      return next(req);
    }
    if (req.method.methodKind !== "server_streaming")
      return next({ ...req, message: checkAll(req.method, req.message) });
    const { first, stream } = await peekStream(req.message);
    if (first !== undefined) check(req.method, first);
    return next({ ...req, message: stream });
  };
}
