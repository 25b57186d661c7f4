// The source of a standalone runtime. Its bundle is a file, whose signature is checked against a key file, and callers
// are known by the hashes of their tokens. Nothing is reported and nothing is metered.

import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { TokenDigestSchema } from "../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { maxBundleBytes } from "../src/kit/bundle/bundle-size.ts";
import { type TrustedKeys, trustKeys, type VerifyingJwk } from "../src/kit/crypto/signing-key.ts";
import type { Clock } from "../src/kit/process/clock.ts";
import type { Credential } from "../src/kit/rpc/context.ts";
import type { BundleScope } from "./bundle/activation.ts";
import { BundleHolder } from "./bundle/active-bundle.ts";
import { verifyBundle } from "./bundle/verify.ts";
import { runtimeVersion } from "./bundle/version.ts";
import { TokenAuthenticator } from "./control-plane/token-authenticator.ts";
import type { RuntimeConfig, Source } from "./runtime.ts";

/** The files of a standalone runtime. */
export interface StandaloneFiles {
  /** The JSON that `GET /v1/bundles/latest` answers. */
  readonly bundle: string;
  /** A JWK, or a JWK set as `GET /v1/bundles/keys` answers. */
  readonly key: string;
}

/** A source from files. Throws when the bundle is refused, or when no caller could be authenticated. */
export async function standalone(
  config: RuntimeConfig,
  files: StandaloneFiles,
  { noAuth, clock }: { readonly noAuth: boolean; readonly clock: Clock },
): Promise<Source> {
  const bytes = readFileSync(files.bundle);
  const scope = claimedScope(bytes);
  const now = clock.now();
  const holder = new BundleHolder();
  const found = await verifyBundle({
    bundle: bytes,
    ...readKeys(files.key),
    scope,
    ratchet: undefined,
    now,
    from: "disk",
    maxBytes: maxBundleBytes,
    runtimeVersion,
  });
  await holder.adopt(found, { now, isConfirmed: false, keep: async () => undefined });
  const fingerprintKey = keptFingerprintKey(config.dataFolder);
  return {
    holder,
    ...(noAuth ? openAccess(scope) : accessByToken(scope, config.tokenHashes ?? [], clock)),
    fingerprintKey: () => fingerprintKey,
    spool: undefined,
    checks: {},
    shutdownSteps: [],
  };
}

type CallerAccess = Pick<Source, "authenticate" | "interceptors">;

function accessByToken(scope: BundleScope, hashes: readonly string[], clock: Clock): CallerAccess {
  if (hashes.length === 0) {
    throw new Error(
      "nobody could call: set POLICY_GUARD_TOKEN_HASHES, or pass --no-auth to accept calls from this machine",
    );
  }
  const tokens = new TokenAuthenticator(() => scope, clock);
  tokens.replace(
    hashes.map((hash) => {
      if (!/^[0-9a-f]{64}$/i.test(hash))
        throw new Error("POLICY_GUARD_TOKEN_HASHES takes SHA-256 hashes of 64 hexadecimal digits");
      const { projectId, environment } = scope;
      return create(TokenDigestSchema, {
        sha256: Uint8Array.from(Buffer.from(hash, "hex")),
        kind: CredentialKind.RUNTIME,
        projectId,
        environment,
      });
    }),
  );
  return { authenticate: (token) => tokens.authenticate(token), interceptors: [] };
}

function openAccess(scope: BundleScope): CallerAccess {
  const anyone: Credential = {
    kind: CredentialKind.RUNTIME,
    id: "local",
    label: "local",
    orgId: scope.orgId,
    projectId: scope.projectId,
    environment: scope.environment,
    roles: new Map(),
  };
  const introduce: Interceptor = (next) => (request) => {
    request.header.set("Authorization", "Bearer local");
    return next(request);
  };
  return { authenticate: () => anyone, interceptors: [introduce] };
}

// A standalone runtime has the scope of its bundle. Whether the bundle is trusted is decided by the key file.
function claimedScope(bytes: Uint8Array): BundleScope {
  try {
    const { manifest } = JSON.parse(Buffer.from(bytes).toString("utf8"));
    const payload = JSON.parse(Buffer.from(manifest.payload, "base64url").toString("utf8"));
    return { orgId: payload.org_id, projectId: payload.project_id, environment: payload.environment };
  } catch (cause) {
    throw new Error("the bundle file is not the JSON of a bundle", { cause });
  }
}

interface JwkSet {
  readonly keys: VerifyingJwk[];
  readonly revoked_kids?: string[];
}

// A key that the file names as revoked is not trusted, and no key set of a bundle can make it trusted.
function readKeys(path: string): { trust: TrustedKeys; revoked: ReadonlySet<string> } {
  const json: VerifyingJwk | JwkSet = JSON.parse(readFileSync(path, "utf8"));
  const { keys, revoked_kids = [] }: JwkSet = "keys" in json ? json : { keys: [json] };
  const revoked = new Set(revoked_kids);
  return { trust: trustKeys(keys.filter(({ kid }) => !revoked.has(kid))), revoked };
}

function keptFingerprintKey(folder: string): Uint8Array {
  const path = join(folder, "fingerprint.key");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) placeKey(path);
  return readFileSync(path);
}

// Several processes may start at once: the first key stays, and nobody reads a part of one.
function placeKey(path: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, randomBytes(32), { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(draft);
  }
}
