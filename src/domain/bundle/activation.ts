// Activations: signed statements that name the bundle to enforce, with a sequence number that grows by one in each
// environment. A runtime adopts a statement only while it is fresh, so that a frozen mirror is noticed; a refresh signs
// the same statement anew.

import type { JsonValue } from "@bufbuild/protobuf";
import type { ActivationPayload, CandidateReference, OverrideReference } from "../../kit/bundle/statement-payload.ts";
import { digestOf } from "../../kit/crypto/canonical.ts";
import { encodeStatement, type SignedStatement, signStatement, statementKids } from "../../kit/crypto/statement.ts";
import {
  type ActivationCause,
  ActivationRow,
  type BundleRow,
  findActivation,
  findBundle,
} from "../../store/bundle/bundle.ts";
import { type CandidateRow, deleteCandidate, findCandidate } from "../../store/bundle/candidate.ts";
import { listOverrides, type RuleOverrideRow } from "../../store/bundle/override.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../store/project/environment.ts";
import { bundlesChannel } from "../channel.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** How long after it was issued an activation may be adopted. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1000;
/** How far the clocks of runtimes may be behind. */
const clockSkewMs = 5 * 60 * 1000;

/** Who makes an activation, and why. */
export interface ActivationFacts {
  readonly author: string;
  readonly cause: ActivationCause;
  /** What the author said of it, where the version does not say that already. */
  readonly message?: string | undefined;
}

/**
 * Makes the bundle the one to enforce. The environment has to be locked. Returns the digest of the signed statement's
 * payload.
 */
export async function activate(
  tx: Transaction,
  keys: SigningKeys,
  { environment, bundle, ...facts }: { environment: EnvironmentRow; bundle: BundleRow } & ActivationFacts,
): Promise<string> {
  environment.activationSeq += 1;
  environment.activeVersion = bundle.version;
  bundle.activatedAt = tx.now;
  bundle.activationSeq = environment.activationSeq;
  // The candidate was compared with the former version, not with this one.
  await deleteCandidate(tx, environment.id);
  return recordActivation(tx, keys, { environment, bundle, ...facts });
}

async function recordActivation(
  tx: Transaction,
  keys: SigningKeys,
  { environment, bundle, author, cause, message }: { environment: EnvironmentRow; bundle: BundleRow } & ActivationFacts,
): Promise<string> {
  const signed = await signActivation(tx, keys, environment, bundle);
  tx.em.create(ActivationRow, {
    orgId: tx.orgId,
    environmentId: environment.id,
    activationSeq: environment.activationSeq,
    version: bundle.version,
    digest: bundle.digest,
    createdBy: author,
    cause,
    message: message ?? null,
    activatedAt: tx.now,
    ...signed,
  });
  await announce(tx, environment);
  return digestOf(Buffer.from(signed.statement.payload, "base64url"));
}

/**
 * Gives the active bundle the next sequence number, because overrides have changed or the database was restored. The
 * candidate stays: it is compared with the same version. Returns the digest of the signed statement's payload.
 */
export async function activateAnew(
  tx: Transaction,
  keys: SigningKeys,
  environment: EnvironmentRow,
  facts: ActivationFacts,
): Promise<string> {
  const bundle =
    environment.activeVersion == null ? null : await findBundle(tx, environment.id, environment.activeVersion);
  if (bundle === null) throw new Error("the environment has no active bundle");
  environment.activationSeq += 1;
  bundle.activationSeq = environment.activationSeq;
  return recordActivation(tx, keys, { environment, bundle, ...facts });
}

/** Signs the activation of the environment's active bundle anew, with the same sequence number and a new expiry. */
export async function refreshActiveBundle(
  tx: Transaction,
  keys: SigningKeys,
  environment: EnvironmentRow,
): Promise<void> {
  if (environment.activeVersion == null) return;
  const bundle = await findBundle(tx, environment.id, environment.activeVersion);
  const activation = await findActivation(tx, environment.id, environment.activationSeq);
  if (bundle === null || activation === null) return;
  Object.assign(activation, await signActivation(tx, keys, environment, bundle));
  await announce(tx, environment);
}

/** The statement in the form of the X-Policy-Guard-Activation header. */
export function activationHeader(activation: ActivationRow): string {
  return encodeStatement(activation.statement);
}

async function signActivation(
  tx: Transaction,
  keys: SigningKeys,
  environment: EnvironmentRow,
  bundle: BundleRow,
): Promise<{ statement: SignedStatement; issuedAt: Date; expiresAt: Date }> {
  const expiresAt = new Date(tx.now.getTime() + lifetimeMs);
  const candidate = await presentCandidate(tx, environment);
  const overrides = (await listOverrides(tx, environment.id)).map(overrideReferenceOf);
  const payload: ActivationPayload = {
    org_id: tx.orgId,
    project_id: environment.projectId,
    environment: environment.name,
    activation_seq: environment.activationSeq,
    version: bundle.version,
    digest: bundle.digest,
    issued_at: tx.now.toISOString(),
    not_before: new Date(tx.now.getTime() - clockSkewMs).toISOString(),
    expires_at: expiresAt.toISOString(),
    capture: environment.capture,
    replay_facts: environment.replayFacts,
    keys_serial: await keys.serial(tx),
    ...(candidate && { candidate: referenceOf(candidate) }),
    ...(overrides.length > 0 && { overrides }),
    ...(isSampled(environment) && {
      trace_sampling: {
        allow_percent: environment.sampledAllowPercent,
        other_percent: environment.sampledOtherPercent,
      },
    }),
  };
  const signers = await keys.signing(tx);
  const statement = await signStatement("activation", payload, signers);
  await signManifestAnew(bundle, signers);
  // Runtimes load a candidate by its manifest alone, and would refuse one that is signed by a revoked key.
  const compared = candidate && (await findBundle(tx, environment.id, candidate.version));
  if (compared != null) await signManifestAnew(compared, signers);
  return { statement, issuedAt: tx.now, expiresAt };
}

function isSampled({ sampledAllowPercent, sampledOtherPercent }: EnvironmentRow): boolean {
  return sampledAllowPercent < 100 || sampledOtherPercent < 100;
}

async function presentCandidate(tx: Transaction, { id }: EnvironmentRow): Promise<CandidateRow | undefined> {
  const candidate = await findCandidate(tx, id);
  return candidate === null || candidate.expiresAt <= tx.now ? undefined : candidate;
}

function referenceOf({ version, digest, percent, expiresAt }: CandidateRow): CandidateReference {
  return { version, digest, percent, expires_at: expiresAt.toISOString() };
}

// Without the reason: runtimes have no use for it, and the statement travels in a header.
function overrideReferenceOf({ policyId, ruleId, until }: RuleOverrideRow): OverrideReference {
  return { policy_id: policyId, rule_id: ruleId, mode: "shadow", until: until.toISOString() };
}

/** Signs the same manifest with the present keys. Its digest is that of its payload and stays the same. */
async function signManifestAnew(bundle: BundleRow, signers: Parameters<typeof signStatement>[2]): Promise<void> {
  const wanted = signers.map(({ kid }) => kid).join();
  if (wanted === statementKids(bundle.manifest).join()) return;
  const payload: JsonValue = JSON.parse(Buffer.from(bundle.manifest.payload, "base64url").toString("utf8"));
  bundle.manifest = await signStatement("manifest", payload, signers);
}

function announce(tx: Transaction, environment: EnvironmentRow): Promise<void> {
  return tx.notify(bundlesChannel, {
    project_id: environment.projectId,
    environment: environment.name,
    activation_seq: environment.activationSeq,
  });
}
