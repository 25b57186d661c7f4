import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { connectionKey } from "../context.ts";
import { assertValid } from "../validation.ts";
import { peekStream } from "./stream.ts";

/** Holds every message of a request against the rules of its fields, those of a stream as they are read. */
export function createValidateInterceptor(): Interceptor {
  async function* checkAll<T extends Message>(method: DescMethod, stream: AsyncIterable<T>): AsyncIterable<T> {
    for await (const message of stream) {
      assertValid(method.input, message);
      yield message;
    }
  }
  return (next) => async (req) => {
    const { bindFault } = req.contextValues.get(connectionKey);
    if (bindFault !== undefined) throw bindFault;
    if (!req.stream) {
      assertValid(req.method.input, req.message);
      return next(req);
    }
    if (req.method.methodKind !== "server_streaming")
      return next({ ...req, message: checkAll(req.method, req.message) });
    const { first, stream } = await peekStream(req.message);
    if (first !== undefined) assertValid(req.method.input, first);
    return next({ ...req, message: stream });
  };
}
