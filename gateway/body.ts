// The request body, from the socket to text. What is wrong here is answered at once: before the body is read as JSON, nothing
// is known that could be authorized.

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { Reason } from "../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, malformedRequest } from "../src/kit/error.ts";
import type { RestRequest } from "./http.ts";

/** Bytes beyond the limit that are still taken in and thrown away, so that the caller reads the answer and not a reset. */
const discardedBytes = 16 * 1024 * 1024;

const held = new WeakMap<RestRequest, Buffer>();

/** Keeps a body that was read already, for whoever reads the request's body next. */
export function holdBody(request: RestRequest, bytes: Buffer): void {
  held.set(request, bytes);
}

/** The text of a JSON body; "" when none came. Throws too_large, unsupported_media_type or malformed_request. */
export async function readJsonBody(request: RestRequest, maxBodyBytes: number): Promise<string> {
  const bytes = await readBytes(request, maxBodyBytes);
  if (bytes.byteLength === 0) return "";
  checkMediaType(request.headers, "application/json");
  if (!isUtf8(bytes)) throw malformedRequest("the body is not valid UTF-8");
  return bytes.toString("utf8");
}

/** Throws unsupported_media_type for a body that is something else, has another charset than UTF-8, or a content encoding. */
export function checkMediaType(headers: IncomingHttpHeaders, expected: string): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw new Fault(Reason.UNSUPPORTED_MEDIA_TYPE, "the body has a content encoding; send it without one", {
      headers: { "Accept-Encoding": "identity" },
    });
  }
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  const isUnicode = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() !== expected || !isUnicode) {
    throw new Fault(Reason.UNSUPPORTED_MEDIA_TYPE, `the body has to be ${expected} in UTF-8`);
  }
}

function readBytes(request: RestRequest, maxBodyBytes: number): Promise<Buffer> {
  const known = held.get(request);
  if (known !== undefined) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) reject(tooLarge(maxBodyBytes));
    let chunks: Buffer[] = [];
    let sizeBytes = 0;
    // Every request ends in "close"; only one that was not complete by then failed.
    const onClose = () => reject(malformedRequest("the connection closed before the body was complete"));
    request.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.byteLength;
      if (sizeBytes <= maxBodyBytes) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      reject(tooLarge(maxBodyBytes));
      if (sizeBytes > maxBodyBytes + discardedBytes) request.destroy();
    });
    request.once("end", () => {
      request.off("close", onClose);
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    request.once("error", reject);
    request.once("close", onClose);
  });
}

function tooLarge(maxBodyBytes: number): Fault {
  return new Fault(Reason.TOO_LARGE, `the body is larger than ${maxBodyBytes} bytes`, {
    extra: { limit_bytes: maxBodyBytes },
  });
}
