// A request body that reaches its handler as bytes, in pieces as they come. The handler's pace is that of the caller:
// while it does not ask for the next message, nothing is read from the connection.

import { clone, create, type DescMethod, type Message } from "@bufbuild/protobuf";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.ts";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, malformedRequest } from "../../src/kit/fault/fault.ts";
import { letTakeTime } from "../../src/kit/net/http1-server.ts";
import type { Upload } from "../../src/kit/rpc/options.ts";
import type { RestRequest, RestResponse } from "../http/http.ts";
import { createFieldAssigner } from "../json/assign.ts";
import type { Route } from "../route/route.ts";
import { checkMediaType, tooLarge } from "./body.ts";

/** Makes the messages of an upload. */
export type UploadReader = (
  exchange: { readonly request: RestRequest; readonly response: RestResponse },
  /** What path, query and headers say, and what is wrong with it. */
  draft: { readonly message: Message; readonly fault: Fault | undefined },
) => AsyncGenerator<Message, void>;

/**
 * The reader of uploads of a route. Its first message has no bytes: who may call is decided by it, before the body is
 * read and before the caller is told what is wrong with the request. Throws too_large, unsupported_media_type or
 * malformed_request.
 */
export function createUploadReader(
  { method, facts }: Route,
  { field, maxBytes }: Upload,
  timeoutMs: number,
): UploadReader {
  const assign = createFieldAssigner(field);
  return async function* ({ request, response }, { message, fault }) {
    yield message;
    if (fault !== undefined) throw fault;
    checkMediaType(request.headers, facts.requestMediaTypes);
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    letTakeTime(request, response);
    const { "content-type": contentType } = request.headers;
    let sizeBytes = 0;
    for await (const data of bytesOf(request, timeoutMs)) {
      sizeBytes += data.byteLength;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      yield withBytes(method, message, (next) => assign(next, create(HttpBodySchema, { contentType, data })));
    }
    // A body of HTTP/2 that was canceled ends like a complete one.
    const stated = request.headers["content-length"];
    if (stated !== undefined && Number(stated) !== sizeBytes) throw brokenOff();
  };
}

function brokenOff(): Fault {
  return malformedRequest("the connection closed before the body was complete");
}

function withBytes(method: DescMethod, message: Message, assign: (message: Message) => void): Message {
  const next = clone(method.input, message);
  assign(next);
  return next;
}

// A reader that stops early leaves the connection open for the answer.
async function* bytesOf(request: RestRequest, timeoutMs: number): AsyncGenerator<Uint8Array> {
  const deadline = { fault: undefined as Fault | undefined, refuse: (_: Fault): void => undefined };
  const timer = setTimeout(() => {
    deadline.fault = new Fault(Reason.DEADLINE_EXCEEDED, "the body did not arrive within its time limit");
    deadline.refuse(deadline.fault);
  }, timeoutMs);
  const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
  // No race with one promise for all pieces: that would hold every piece until the end of the body.
  const next = () =>
    new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      deadline.refuse = reject;
      if (deadline.fault === undefined) chunks.next().then(resolve, reject);
      else reject(deadline.fault);
    });
  try {
    for (;;) {
      const chunk = await next();
      if (chunk.done === true) return;
      yield chunk.value;
    }
  } catch (error) {
    throw error instanceof Fault ? error : brokenOff();
  } finally {
    clearTimeout(timer);
    chunks.return?.().catch(() => undefined);
  }
}
