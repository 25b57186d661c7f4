// Verifies a bundle, always in the same order: size, key set, signatures; then scope, sequence and time of the
// activation, digests of all parts, scope of the manifest, and min_runtime. Compiling, writing to disk and the swap
// follow. Signatures are checked before the digests that they cover, so that no content is read before a trusted key
// has signed it. The content never decides whether it is verified.

import { create, fromJson } from "@bufbuild/protobuf";
import {
  type Bundle,
  BundleSchema,
  type Part,
  PartSchema,
  type Statement,
} from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { contentDigest, type ManifestPayload, readManifest } from "../../src/kit/bundle/statement-payload.ts";
import { digestOf } from "../../src/kit/crypto/canonical.ts";
import { type VerifiedStatement, verifyStatement } from "../../src/kit/crypto/statement.ts";
import {
  type ActivationCheck,
  assertScope,
  type VerifiedActivation,
  verified,
  verifyActivation,
} from "./activation.ts";
import { followKeySet, type TrustRoot } from "./key-set.ts";
import { BundleRejection } from "./rejection.ts";

/** A bundle, and what it is checked against. */
export interface BundleCheck extends ActivationCheck {
  /** The message, or its JSON in UTF-8. */
  readonly bundle: Bundle | Uint8Array;
  /** Max bytes of the message; its JSON may have half as many again. */
  readonly maxBytes: number;
  /** Version of this runtime, such as "1.0.0"; compared with the manifest's min_runtime. */
  readonly runtimeVersion: string;
  /** Parts that the message may leave out. They are checked like those that it has. Default: none. */
  readonly held?: HeldParts | undefined;
}

/** The parts of a bundle that was verified before, by their digests: a message need not have them again. */
export type HeldParts = ReadonlyMap<string, Uint8Array>;

/** The parts of a verified bundle by their digests. */
export function heldParts({ manifest, parts }: Pick<VerifiedBundle, "manifest" | "parts">): HeldParts {
  const entries = manifest.parts.flatMap(({ path, digest }): [string, Uint8Array][] => {
    const data = parts.get(path);
    return data === undefined ? [] : [[digest, data]];
  });
  return new Map(entries);
}

/** The check of a bundle that came as a message. */
export interface MessageCheck extends BundleCheck {
  readonly bundle: Bundle;
}

/** A bundle that holds. */
export interface VerifiedBundle {
  readonly manifest: ManifestPayload;
  /** Digest of the manifest: the bundle's name. */
  readonly digest: string;
  readonly activation: VerifiedActivation;
  /** The content by path: exactly what the manifest lists. */
  readonly parts: ReadonlyMap<string, Uint8Array>;
  /** The message itself, for the cache. */
  readonly bundle: Bundle;
  /** The key set that it was verified with, if newer than the known one. */
  readonly keySet: Statement | undefined;
}

/** Verifies a bundle with its activation. Throws a BundleRejection. */
export async function verifyBundle(given: BundleCheck): Promise<VerifiedBundle> {
  const bundle = readBundle(given.bundle, given.maxBytes);
  const { root, newer } = await followKeys(bundle, given);
  const check = { ...given, trust: root.trust, revoked: root.revoked, keysSerial: root.serial };
  const { trust, revoked } = root;
  const manifestStatement = required(bundle.manifest, "manifest");
  const signed = await verified(() => verifyStatement("manifest", manifestStatement, trust, revoked));
  const activation = await verifyActivation(required(bundle.activation, "activation"), check);
  const manifest = await verified(async () => readManifest(signed.payload));
  const parts = matchParts(manifest, bundle.parts, given.held);
  const whole = wholeBundle(bundle, parts);
  sized(whole, messageBytes(whole), given.maxBytes);
  assertScope("manifest", manifest, check.scope);
  assertActivated(signed, manifest, activation);
  assertRuntime(manifest.min_runtime, check.runtimeVersion);
  return { manifest, digest: signed.digest, activation, parts, bundle: whole, keySet: newer };
}

/** The bundle with all its parts. */
export function wholeBundle(bundle: Bundle, parts: ReadonlyMap<string, Uint8Array>): Bundle {
  if (bundle.parts.length === parts.size) return bundle;
  const { manifest, activation, keys } = bundle;
  // Views of memory that nobody moves or detaches, which is all that the type of a message's bytes asks for.
  const all = [...parts].map(([path, data]) => create(PartSchema, { path, data: data as Uint8Array<ArrayBuffer> }));
  return create(BundleSchema, { manifest, activation, keys, parts: all });
}

// The key set is checked first, since it says which keys may sign the rest. A set that no trusted key signed is
// ignored: then the keys that are trusted already decide whether the bundle is accepted.
async function followKeys(
  { keys }: Bundle,
  { trust, revoked = new Set(), keysSerial: serial = 0, scope }: BundleCheck,
): Promise<{ root: TrustRoot; newer: Statement | undefined }> {
  const known = { trust, revoked, serial };
  if (keys === undefined) return { root: known, newer: undefined };
  try {
    const root = await followKeySet(known, keys, scope.orgId);
    return { root, newer: root === known ? undefined : keys };
  } catch (error) {
    if (!(error instanceof BundleRejection) || !isUnknownSigner(error)) throw error;
    return { root: known, newer: undefined };
  }
}

function isUnknownSigner({ reason }: BundleRejection): boolean {
  return reason === "unknown_kid" || reason === "revoked_kid";
}

/** The check of a bundle's content, without an activation of its own. */
export type ContentCheck = Pick<BundleCheck, "bundle" | "trust" | "revoked" | "scope" | "maxBytes" | "runtimeVersion">;

/**
 * Verifies the manifest and content of a bundle that a verified activation names by its digest. Throws a
 * BundleRejection.
 */
export async function verifyContent(
  { bundle: given, trust, revoked, scope, maxBytes, runtimeVersion }: ContentCheck,
  digest: string,
): Promise<Pick<VerifiedBundle, "manifest" | "parts">> {
  const bundle = readBundle(given, maxBytes);
  const statement = required(bundle.manifest, "manifest");
  const signed = await verified(() => verifyStatement("manifest", statement, trust, revoked));
  const manifest = await verified(async () => readManifest(signed.payload));
  const parts = matchParts(manifest, bundle.parts);
  assertScope("manifest", manifest, scope);
  if (signed.digest !== digest) throw new BundleRejection("digest_mismatch", "the activation names another candidate");
  assertRuntime(manifest.min_runtime, runtimeVersion);
  return { manifest, parts };
}

function readBundle(input: Bundle | Uint8Array, maxBytes: number): Bundle {
  if (!(input instanceof Uint8Array)) return sized(input, messageBytes(input), maxBytes);
  // In JSON, parts take a third more, and names some.
  sized(input, input.byteLength, maxBytes * 1.5);
  let bundle: Bundle;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(input);
    bundle = fromJson(BundleSchema, JSON.parse(text), { ignoreUnknownFields: true });
  } catch (cause) {
    throw new BundleRejection("malformed", "the bundle is not the JSON of a bundle", { cause });
  }
  return sized(bundle, messageBytes(bundle), maxBytes);
}

function sized<T>(input: T, sizeBytes: number, maxBytes: number): T {
  if (sizeBytes <= maxBytes) return input;
  throw new BundleRejection("too_large", `the bundle has ${sizeBytes} bytes, the limit is ${maxBytes}`);
}

function messageBytes({ manifest, activation, keys, parts }: Bundle): number {
  let bytes = 0;
  for (const statement of [manifest, activation, keys]) {
    bytes += statement?.payload.length ?? 0;
    for (const entry of statement?.signatures ?? []) bytes += entry.protected.length + entry.signature.length;
  }
  for (const part of parts) bytes += part.path.length + part.data.byteLength;
  return bytes;
}

function required(statement: Statement | undefined, kind: string): Statement {
  if (statement === undefined) throw new BundleRejection("missing_statement", `the bundle has no ${kind}`);
  return statement;
}

const pathForm = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*){0,7}$/;
const pathLimit = 256;

function matchParts(
  manifest: ManifestPayload,
  parts: readonly Part[],
  held: HeldParts = new Map(),
): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const { path, data } of parts) {
    if (found.has(path)) throw new BundleRejection("duplicate_part", `the bundle has ${path} twice`);
    found.set(path, data);
  }
  const listed = new Set<string>();
  for (const { path, size, digest } of manifest.parts) {
    if (path.length > pathLimit || !pathForm.test(path)) {
      throw new BundleRejection("bad_path", `the manifest lists a part at ${JSON.stringify(path.slice(0, 80))}`);
    }
    if (listed.has(path)) throw new BundleRejection("duplicate_part", `the manifest lists ${path} twice`);
    listed.add(path);
    const data = found.get(path) ?? held.get(digest);
    if (data === undefined) throw new BundleRejection("missing_part", `the bundle lacks ${path}`);
    found.set(path, data);
    if (data.byteLength !== size || digestOf(data) !== digest) {
      throw new BundleRejection("digest_mismatch", `${path} does not have the digest that the manifest says`);
    }
  }
  for (const path of found.keys()) {
    if (!listed.has(path)) {
      throw new BundleRejection("extra_part", `the manifest does not list ${JSON.stringify(path.slice(0, 80))}`);
    }
  }
  if (contentDigest(manifest.parts) !== manifest.content_digest) {
    throw new BundleRejection("digest_mismatch", "the content digest is not that of the parts");
  }
  return found;
}

function assertActivated(signed: VerifiedStatement, manifest: ManifestPayload, { payload }: VerifiedActivation): void {
  if (payload.digest !== signed.digest || payload.version !== manifest.version) {
    throw new BundleRejection("digest_mismatch", "the activation names another bundle");
  }
}

const versionForm = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

function assertRuntime(needed: string, present: string): void {
  const wanted = versionForm.exec(needed)?.slice(1).map(Number);
  const own = versionForm.exec(present)?.slice(1).map(Number);
  if (own === undefined) throw new Error(`the runtime's own version "${present}" is not major.minor.patch`);
  if (wanted === undefined) throw new BundleRejection("bad_payload", "manifest.min_runtime must be major.minor.patch");
  const first = wanted.findIndex((number, index) => number !== own[index]);
  if (first >= 0 && (wanted[first] ?? 0) > (own[first] ?? 0)) {
    throw new BundleRejection("runtime_too_old", `the bundle needs runtime ${needed}, this one is ${present}`);
  }
}
