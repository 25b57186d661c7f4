// Bundle files: the JSON that `GET /v1/bundles/latest` answers, and the claims in it before they are verified.

import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Bundle, BundleSchema, type Statement } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { BundleScope } from "../../runtime/bundle/activation.ts";
import { maxBundleJsonBytes } from "../kit/bundle/bundle-size.ts";
import {
  type ActivationPayload,
  type ManifestPayload,
  PayloadError,
  readActivation,
  readManifest,
} from "../kit/bundle/statement-payload.ts";
import { type Failure, refusal } from "./failure.ts";
import { decode, readBytes } from "./file.ts";

/** The claims of a bundle about itself. */
export interface ClaimedBundle {
  readonly bundle: Bundle;
  readonly manifest: ManifestPayload;
  readonly activation: ActivationPayload;
}

/** Reads a bundle file without checking any signature or digest. */
export function readClaims(path: string): ClaimedBundle {
  const text = decode(readBytes(path, maxBundleJsonBytes), path);
  const bundle = parsed(text);
  if (bundle === undefined) throw malformed(path, "this is not the JSON of a bundle");
  try {
    const manifest = readManifest(payloadOf(bundle.manifest));
    return { bundle, manifest, activation: readActivation(payloadOf(bundle.activation)) };
  } catch (error) {
    if (error instanceof PayloadError) throw malformed(path, error.message);
    if (error instanceof SyntaxError) throw malformed(path, "a statement of the bundle is missing or unreadable");
    throw error;
  }
}

/** The scope that a bundle names. Empty when it names none: the verification that follows reports the fault. */
export function claimedScope(bytes: Uint8Array): BundleScope {
  try {
    const manifest = readManifest(payloadOf(parsed(new TextDecoder().decode(bytes))?.manifest));
    return { orgId: manifest.org_id, projectId: manifest.project_id, environment: manifest.environment };
  } catch {
    return { orgId: "", projectId: "", environment: "" };
  }
}

function parsed(text: string): Bundle | undefined {
  try {
    return fromJson(BundleSchema, JSON.parse(text), { ignoreUnknownFields: true });
  } catch {
    return undefined;
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
