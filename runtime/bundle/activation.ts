// The activation says which bundle is to be enforced. Its sequence number only grows: an older version can be activated
// again, and an old statement cannot be replayed. Its expiry detects a mirror that is frozen. After The Update
// Framework, section 5.4 (https://theupdateframework.github.io/specification/latest/).

import { type ActivationPayload, PayloadError, readActivation } from "../../src/kit/bundle/statement-payload.ts";
import type { TrustedKeys } from "../../src/kit/crypto/signing-key.ts";
import { type SignedStatement, StatementError, verifyStatement } from "../../src/kit/crypto/statement.ts";
import { BundleRejection } from "./rejection.ts";

/** The project and environment that a runtime works for. */
export interface BundleScope {
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: string;
}

/** The newest activation that was adopted. Nothing older is adopted after it. */
export interface Ratchet {
  readonly activationSeq: number;
  /** Digest of the manifest. */
  readonly digest: string;
  /** The trusted keys that signed the activation. */
  readonly kids: readonly string[];
  /** When it was signed, RFC 3339; undefined for one that an earlier release adopted. */
  readonly issuedAt?: string | undefined;
}

/** The keys, scope and state that an activation is checked against. */
export interface ActivationCheck {
  readonly trust: TrustedKeys;
  /** Keys that are no longer trusted, for the reason of a refusal. */
  readonly revoked?: ReadonlySet<string>;
  /** Serial of the key set that the trust comes from; 0 when not given. */
  readonly keysSerial?: number;
  readonly scope: BundleScope;
  /** Undefined when nothing was ever adopted. */
  readonly ratchet: Ratchet | undefined;
  readonly now: Date;
  /** Expiry does not count for a bundle from disk: it was adopted before, stays in force, and is stale. */
  readonly from: "network" | "disk";
}

/** An activation that holds. */
export interface VerifiedActivation {
  readonly payload: ActivationPayload;
  readonly statement: SignedStatement;
  readonly ratchet: Ratchet;
}

/** Control planes set not_before to the moment of activation, and clocks differ. */
const clockLeewayMs = 5 * 60_000;

/** Verifies an activation. Throws a BundleRejection. */
export async function verifyActivation(
  statement: SignedStatement,
  { trust, revoked, scope, ratchet, now, from }: ActivationCheck,
): Promise<VerifiedActivation> {
  const { payload, kids } = await verified(() => verifyStatement("activation", statement, trust, revoked));
  const activation = await verified(async () => readActivation(payload));
  assertScope("activation", activation, scope);
  assertSequence(activation, ratchet, trust);
  if (from === "network") assertTime(activation, now);
  const { activation_seq: activationSeq, digest, issued_at: issuedAt } = activation;
  return { payload: activation, statement, ratchet: { activationSeq, digest, kids, issuedAt } };
}

/** Whether the activation should have been renewed by now: no control plane has vouched for it lately. */
export function isStale(activation: ActivationPayload, now: Date): boolean {
  return now.getTime() > Date.parse(activation.expires_at);
}

/** Runs a check of the kit and turns its refusal into a BundleRejection. */
export async function verified<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof StatementError) throw new BundleRejection(error.problem, error.message);
    if (error instanceof PayloadError) throw new BundleRejection("bad_payload", error.message);
    throw error;
  }
}

/** Refuses a statement of another organization, project or environment. */
export function assertScope(
  kind: string,
  found: { readonly org_id: string; readonly project_id: string; readonly environment: string },
  scope: BundleScope,
): void {
  const pairs: readonly [string, string, string][] = [
    ["organization", found.org_id, scope.orgId],
    ["project", found.project_id, scope.projectId],
    ["environment", found.environment, scope.environment],
  ];
  for (const [name, is, wanted] of pairs) {
    if (is !== wanted) throw new BundleRejection("wrong_scope", `the ${kind} is for ${name} ${is}, not ${wanted}`);
  }
}

function assertSequence(
  { activation_seq: seq, digest, issued_at: issuedAt }: ActivationPayload,
  ratchet: Ratchet | undefined,
  trust: TrustedKeys,
) {
  // A stolen key could have pushed the sequence number out of reach. When none of the keys that signed the ratchet is
  // trusted any more, the ratchet does not count either (recovery from a fast-forward attack).
  if (ratchet === undefined || !ratchet.kids.some((kid) => trust.has(kid))) return;
  if (seq < ratchet.activationSeq) {
    throw new BundleRejection("replayed_sequence", `activation ${seq} is older than ${ratchet.activationSeq}`);
  }
  if (seq === ratchet.activationSeq && digest !== ratchet.digest) {
    throw new BundleRejection("equivocation", `activation ${seq} names ${digest}, and named ${ratchet.digest} before`);
  }
  // A refresh may name fewer overrides than the statement before it; the older one must not bring them back.
  if (seq === ratchet.activationSeq && ratchet.issuedAt !== undefined) {
    if (Date.parse(issuedAt) < Date.parse(ratchet.issuedAt)) {
      const message = `activation ${seq} was issued at ${issuedAt}, before the one of ${ratchet.issuedAt} that is in force`;
      throw new BundleRejection("replayed_sequence", message);
    }
  }
}

function assertTime({ not_before: notBefore, expires_at: expiresAt }: ActivationPayload, now: Date): void {
  if (now.getTime() + clockLeewayMs < Date.parse(notBefore)) {
    throw new BundleRejection(
      "not_yet_valid",
      `the activation is valid from ${notBefore}; the clock here says ${now.toISOString()}`,
    );
  }
  if (now.getTime() > Date.parse(expiresAt)) {
    throw new BundleRejection(
      "expired",
      `the activation expired at ${expiresAt}; the clock here says ${now.toISOString()}`,
    );
  }
}
