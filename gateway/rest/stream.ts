// A stream of google.api.HttpBody as one HTTP answer, written as fast as the caller reads.

import type { Message } from "@bufbuild/protobuf";
import { isMessage } from "@bufbuild/protobuf";
import type { StreamResponse } from "@connectrpc/connect";
import { type HttpBody, HttpBodySchema } from "../../gen/google/api/httpbody_pb.ts";
import { forwardHeaders } from "../http/header.ts";
import { defaultHeaders, drained, isGone, type RestRequest, type RestResponse } from "../http/http.ts";

/**
 * Sends the stream. Throws while nothing has been sent, so that a call that fails at its start gets the status of its
 * failure. A later failure breaks the connection off, since a chunked answer that ends well would look complete.
 */
export async function sendStream(
  request: RestRequest,
  response: RestResponse,
  stream: StreamResponse,
  { status, requestId }: { readonly status: number; readonly requestId: string },
): Promise<void> {
  const chunks = stream.message[Symbol.asyncIterator]();
  const first = await nextChunk(chunks);
  response.writeHead(status, {
    ...defaultHeaders,
    "x-request-id": requestId,
    ...forwardHeaders(stream.header),
    "content-type": first?.contentType ?? "application/octet-stream",
  });
  if (request.method !== "HEAD") {
    for (let chunk = first; chunk !== undefined; chunk = await nextChunk(chunks)) {
      if (isGone(response)) return;
      if (!response.write(chunk.data)) await drained(response);
    }
  }
  await chunks.return?.();
  response.end();
}

async function nextChunk(chunks: AsyncIterator<Message>): Promise<HttpBody | undefined> {
  const next = await chunks.next();
  if (next.done === true) return undefined;
  if (!isMessage(next.value, HttpBodySchema)) throw new Error(`${next.value.$typeName} came where bytes were declared`);
  return next.value;
}

/** Breaks off an answer that has begun and cannot be finished. */
export function breakOff(response: RestResponse): void {
  if ("stream" in response)
    response.stream.close(2); // INTERNAL_ERROR, RFC 9113 section 7
  else response.destroy();
}
