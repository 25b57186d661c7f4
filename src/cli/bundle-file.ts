// Bundle files: the JSON that `GET /v1/bundles/latest` answers, and what it claims before anybody has checked it.

import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Bundle, BundleSchema, type Statement } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import {
  type ActivationPayload,
  type ManifestPayload,
  PayloadError,
  readActivation,
  readManifest,
} from "../kit/statement-payload.ts";
import { type Failure, refusal } from "./failure.ts";
import { decode, readBytes } from "./file.ts";

/** The most that a bundle file has; what a runtime takes. */
export const maxBundleBytes = 64 * 1024 * 1024;

/** What a bundle says of itself. */
export interface ClaimedBundle {
  readonly bytes: Uint8Array;
  readonly bundle: Bundle;
  readonly manifest: ManifestPayload;
  readonly activation: ActivationPayload;
}

/** Reads a bundle file without checking any signature or digest. */
export function readClaims(path: string): ClaimedBundle {
  const bytes = readBytes(path, maxBundleBytes);
  try {
    const bundle = fromJson(BundleSchema, JSON.parse(decode(bytes, path)), { ignoreUnknownFields: true });
    const manifest = readManifest(payloadOf(bundle.manifest));
    return { bytes, bundle, manifest, activation: readActivation(payloadOf(bundle.activation)) };
  } catch (error) {
    if (error instanceof PayloadError) throw malformed(path, error.message);
    if (error instanceof SyntaxError || isProtobufError(error)) throw malformed(path, "this is not the JSON of a bundle");
    throw error;
  }
}

/** Key ids that the signatures of a statement name. */
export function kidsOf(statement: Statement | undefined): string[] {
  return (statement?.signatures ?? []).map((signature) => {
    try {
      const { kid }: { kid?: unknown } = JSON.parse(Buffer.from(signature.protected, "base64url").toString("utf8"));
      return typeof kid === "string" ? kid : "unreadable";
    } catch {
      return "unreadable";
    }
  });
}

function payloadOf(statement: Statement | undefined): JsonValue {
  return JSON.parse(Buffer.from(statement?.payload ?? "", "base64url").toString("utf8"));
}

function malformed(path: string, why: string): Failure {
  return refusal("malformed", `${path}: ${why}`);
}

// The library throws plain errors for what does not fit a message.
function isProtobufError(error: unknown): error is Error {
  return error instanceof Error && /^(?:cannot decode|cannot parse|unexpected)/.test(error.message);
}
