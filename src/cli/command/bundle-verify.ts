import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { BundleRejection } from "../../../runtime/bundle/rejection.ts";
import { type VerifiedBundle, verifyBundle } from "../../../runtime/bundle/verify.ts";
import { runtimeVersion } from "../../../runtime/bundle/version.ts";
import { maxBundleBytes, maxBundleJsonBytes } from "../../kit/bundle/bundle-size.ts";
import { type TrustedKeys, trustKeys, type VerifyingJwk } from "../../kit/crypto/signing-key.ts";
import { claimedScope } from "../bundle-file.ts";
import { defineCommand, required } from "../command.ts";
import { exitCodes, usageFailure } from "../failure.ts";
import { readBytes, readJson } from "../file.ts";
import { shown } from "../output.ts";

const maxKeyBytes = 1_048_576;

/** `policy-guard bundle verify`: checks a bundle file as a runtime would, offline. */
export const bundleVerify = defineCommand({
  name: "bundle verify",
  summary: "Check a bundle file as a runtime would.",
  positionals: { label: "<file> --key <file>", min: 1, max: 1 },
  options: {
    key: { type: "string", short: "k", value: "FILE", help: "A public key as JWK, or a JWK set." },
    org: { type: "string", value: "ID", help: "The organization that it must be for." },
    project: { type: "string", value: "ID", help: "The project that it must be for." },
    env: { type: "string", value: "NAME", help: "The environment that it must be for." },
    "allow-expired": { type: "boolean", help: "Accept an expired activation, as standalone runtimes do." },
  },
  notes: "Without --org, --project and --env the bundle may be for any of them.",
  async run({ values, positionals: [path = ""], output, world }) {
    const { trust, revoked } = readTrust(required(values.key, "key"));
    const bytes = readBytes(path, maxBundleJsonBytes);
    const claimed = claimedScope(bytes);
    try {
      const bundle = await verifyBundle({
        bundle: bytes,
        trust,
        revoked,
        scope: {
          orgId: values.org ?? claimed.orgId,
          projectId: values.project ?? claimed.projectId,
          environment: values.env ?? claimed.environment,
        },
        ratchet: undefined,
        now: world.now(),
        from: values["allow-expired"] === true ? "disk" : "network",
        maxBytes: maxBundleBytes,
        runtimeVersion,
      });
      output.line(
        `${output.styled("green", "verified")}: version ${bundle.manifest.version} of ${bundle.manifest.environment}`,
      );
      output.line(`digest ${bundle.digest}, signed by ${bundle.activation.ratchet.kids.join(", ")}`);
      output.json(verifiedJson(bundle));
      return exitCodes.fine;
    } catch (error) {
      if (!(error instanceof BundleRejection)) throw error;
      output.line(`${output.styled("red", "refused")}: ${error.reason}: ${shown(error.message)}`);
      output.json({ verified: false, reason: error.reason, message: error.message });
      return exitCodes.refused;
    }
  },
});

function verifiedJson({ manifest, digest, activation }: VerifiedBundle): JsonObject {
  return {
    verified: true,
    digest,
    org_id: manifest.org_id,
    project_id: manifest.project_id,
    environment: manifest.environment,
    version: manifest.version,
    activation_seq: activation.payload.activation_seq,
    expires_at: activation.payload.expires_at,
    kids: [...activation.ratchet.kids],
  };
}

// A key that the file calls revoked is not trusted, whatever a key set of a bundle says.
function readTrust(path: string): { readonly trust: TrustedKeys; readonly revoked: ReadonlySet<string> } {
  const json = readJson(path, maxKeyBytes);
  const all: readonly JsonValue[] = isObject(json) && Array.isArray(json.keys) ? json.keys : [json];
  const revoked = new Set(isObject(json) && Array.isArray(json.revoked_kids) ? json.revoked_kids.map(String) : []);
  const keys = all.filter((key) => !isObject(key) || typeof key.kid !== "string" || !revoked.has(key.kid));
  if (!keys.every(isJwk)) throw usageFailure(`${path}: this is neither a JWK nor a JWK set`);
  try {
    return { trust: trustKeys(keys), revoked };
  } catch (error) {
    throw usageFailure(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isJwk(value: JsonValue): value is JsonObject & VerifyingJwk {
  return isObject(value) && ["kty", "crv", "x", "kid"].every((name) => typeof value[name] === "string");
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
