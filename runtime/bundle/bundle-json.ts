// The JSON of a bundle in chunks: printed as a whole, a large bundle would block the thread.

import { create, toJsonString } from "@bufbuild/protobuf";
import { type Bundle, BundleSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";

/** Bytes of a part that become one chunk; a multiple of three, so that base64 needs no padding in between. */
const chunkBytes = 3 * 2 ** 16;

/** The text that `toJsonString` makes of the bundle, in chunks of at most some hundred kilobytes. */
export function* bundleJson(bundle: Bundle): Generator<string, void> {
  const { manifest, activation, keys, parts } = bundle;
  const statements = toJsonString(BundleSchema, create(BundleSchema, { manifest, activation, keys }));
  yield `${statements.slice(0, -1)}${statements === "{}" ? "" : ","}"parts":[`;
  for (const [index, { path, data }] of parts.entries()) {
    yield `${index === 0 ? "" : ","}{"path":${JSON.stringify(path)},"data":"`;
    for (let at = 0; at < data.byteLength; at += chunkBytes)
      yield Buffer.from(data.subarray(at, at + chunkBytes)).toString("base64");
    yield '"}';
  }
  yield "]}";
}
