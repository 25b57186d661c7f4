// Bundles as a control plane would sign them, with every detail open to a test's mischief.

import { create } from "@bufbuild/protobuf";
import {
  type Bundle,
  BundleSchema,
  type Statement,
  StatementSchema,
} from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { BundleScope } from "../../../runtime/bundle/activation.ts";
import type { BundleCheck } from "../../../runtime/bundle/verify.ts";
import {
  type ActivationPayload,
  contentDigest,
  type ManifestPayload,
  partEntry,
} from "../../../src/kit/bundle/statement-payload.ts";
import { newSigningKey, type SigningKey, trustKeys } from "../../../src/kit/crypto/signing-key.ts";
import { signStatement, statementDigest } from "../../../src/kit/crypto/statement.ts";

/** The control plane's key. */
export const signer: SigningKey = newSigningKey();

/** What the runtime under test works for. */
export const scope: BundleScope = { orgId: "org-1", projectId: "project-1", environment: "prod" };

/** The moment at which the tests take place. */
export const now = new Date("2026-11-20T10:00:00Z");

/** A moment so many hours after `now`, as a payload has it. */
export function hours(count: number): string {
  return new Date(now.getTime() + count * 3_600_000).toISOString();
}

/** What may differ from an ordinary bundle. */
export interface BundleSpec {
  readonly seq?: number;
  readonly version?: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly manifest?: Partial<ManifestPayload>;
  readonly activation?: Partial<ActivationPayload>;
  readonly keys?: readonly SigningKey[];
}

/** A signed bundle. */
export async function signedBundle({
  seq = 1,
  version = 1,
  files,
  keys = [signer],
  ...change
}: BundleSpec = {}): Promise<Bundle> {
  const content = files ?? { "policies/a.json": '{"name":"a"}', "packs/b.json": "[]" };
  const parts = Object.entries(content).map(([path, text]) => ({ path, data: Buffer.from(text) }));
  const entries = parts.map(({ path, data }) => partEntry(path, data));
  const where = { org_id: scope.orgId, project_id: scope.projectId, environment: scope.environment };
  const manifest = await signed("manifest", keys, {
    ...where,
    version,
    created_at: hours(-1),
    source: "publish",
    content_digest: contentDigest(change.manifest?.parts ?? entries),
    parts: entries,
    min_runtime: "1.0.0",
    tests: { passed: 0, failed: 0 },
    ...change.manifest,
  });
  const activation = await signed("activation", keys, {
    ...where,
    activation_seq: seq,
    version,
    digest: statementDigest(manifest),
    issued_at: hours(0),
    not_before: hours(0),
    expires_at: hours(7 * 24),
    capture: "redacted",
    replay_facts: true,
    ...change.activation,
  });
  return create(BundleSchema, { manifest, activation, parts });
}

/** What the runtime under test checks a bundle against. */
export function checkOf(bundle: Bundle | Uint8Array, change: Partial<BundleCheck> = {}): BundleCheck {
  const trust = trustKeys([signer.publicJwk]);
  return {
    bundle,
    trust,
    scope,
    ratchet: undefined,
    now,
    from: "network",
    maxBytes: 1 << 20,
    runtimeVersion: "1.2.3",
    ...change,
  };
}

async function signed(
  kind: "manifest" | "activation",
  keys: readonly SigningKey[],
  payload: ManifestPayload | ActivationPayload,
): Promise<Statement> {
  const { payload: body, signatures } = await signStatement(kind, payload, keys);
  return create(StatementSchema, { payload: body, signatures: signatures.map((signature) => ({ ...signature })) });
}
