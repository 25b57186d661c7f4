// Calls that change something.

import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { invalidate } from "./invalidation.ts";
import { transport } from "./transport.ts";

/** Calls a method and marks as stale what it changed. */
export async function perform<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<MessageShape<O>> {
  const answer = await callUnaryMethod(transport, method, request);
  await invalidate(method);
  return answer;
}
