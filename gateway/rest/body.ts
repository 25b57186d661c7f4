// The request body, from the socket to text. It is read once the caller is known to be allowed to call.

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, malformedRequest } from "../../src/kit/fault/fault.ts";
import { discardedBytes, type RestRequest } from "../http/http.ts";

const held = new WeakMap<RestRequest, Buffer>();

/** Keeps a body that was read already, for the next reader of the request's body. */
export function holdBody(request: RestRequest, bytes: Buffer): void {
  held.set(request, bytes);
}

/** The text of a JSON body; "" when none came. Throws too_large, unsupported_media_type or malformed_request. */
export async function readJsonBody(
  request: RestRequest,
  { maxBodyBytes, mediaTypes }: { readonly maxBodyBytes: number; readonly mediaTypes: readonly string[] },
): Promise<string> {
  const bytes = await readBytes(request, maxBodyBytes);
  if (bytes.byteLength === 0) return "";
  checkMediaType(request.headers, mediaTypes);
  if (!isUtf8(bytes)) throw malformedRequest("the body is not valid UTF-8");
  return bytes.toString("utf8");
}

/**
 * Throws unsupported_media_type for a body of another media type, in another charset than UTF-8, or with a content
 * encoding.
 */
export function checkMediaType(headers: IncomingHttpHeaders, expected: readonly string[]): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw new Fault(Reason.UNSUPPORTED_MEDIA_TYPE, "the body has a content encoding; send it without one", {
      headers: { "Accept-Encoding": "identity" },
    });
  }
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  const isUnicode = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (!expected.includes(type.trim()) || !isUnicode) {
    const inUtf8 = expected.every((each) => /^text\/|json$/.test(each)) ? " in UTF-8" : "";
    throw new Fault(Reason.UNSUPPORTED_MEDIA_TYPE, `the body has to be ${expected.join(" or ")}${inUtf8}`);
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

/** The failure of a body that is too large. */
export function tooLarge(maxBodyBytes: number): Fault {
  return new Fault(Reason.TOO_LARGE, `the body is larger than ${maxBodyBytes} bytes`, {
    extra: { limit_bytes: maxBodyBytes },
  });
}
