// Activations: signed statements that a bundle is the one to enforce, growing by one for each environment. A runtime
// adopts a statement only while it is fresh, so that a frozen mirror is noticed; a refresh signs the same anew.

import type { JsonValue } from "@bufbuild/protobuf";
import { encodeStatement, type SignedStatement, signStatement, statementKids } from "../kit/statement.ts";
import type { ActivationPayload, CandidateReference } from "../kit/statement-payload.ts";
import { ActivationRow, type BundleRow, findActivation, findBundle } from "../store/bundle.ts";
import { type CandidateRow, deleteCandidate, findCandidate } from "../store/candidate.ts";
import type { Transaction } from "../store/database.ts";
import type { EnvironmentRow } from "../store/environment.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** Channel on which processes hear of an activation. */
export const bundlesChannel = "bundles";

/** How long an activation may be adopted after it was issued. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1000;
/** Clocks of runtimes may be behind by this much. */
const clockSkewMs = 5 * 60 * 1000;

/** Makes the bundle the one to enforce. The environment has to be locked. */
export async function activate(
  tx: Transaction,
  keys: SigningKeys,
  { environment, bundle, author }: { environment: EnvironmentRow; bundle: BundleRow; author: string },
): Promise<void> {
  environment.activationSeq += 1;
  environment.activeVersion = bundle.version;
  bundle.activatedAt = tx.now;
  bundle.activationSeq = environment.activationSeq;
  // What was compared with the version before is no comparison with this one.
  await deleteCandidate(tx, environment.id);
  const signed = await signActivation(tx, keys, environment, bundle);
  tx.em.create(ActivationRow, {
    orgId: tx.orgId,
    environmentId: environment.id,
    activationSeq: environment.activationSeq,
    version: bundle.version,
    digest: bundle.digest,
    createdBy: author,
    ...signed,
  });
  await announce(tx, environment);
}

/** Signs the activation of the environment's active bundle anew: the same sequence number, fresh for another while. */
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
    keys_serial: await keys.serial(tx),
    ...(candidate && { candidate: referenceOf(candidate) }),
  };
  const signers = await keys.signing(tx);
  const statement = await signStatement("activation", payload, signers);
  await signManifestAnew(bundle, signers);
  // Runtimes load it by its manifest alone: under a revoked key they would refuse it.
  const compared = candidate && (await findBundle(tx, environment.id, candidate.version));
  if (compared != null) await signManifestAnew(compared, signers);
  return { statement, issuedAt: tx.now, expiresAt };
}

async function presentCandidate(tx: Transaction, { id }: EnvironmentRow): Promise<CandidateRow | undefined> {
  const candidate = await findCandidate(tx, id);
  return candidate === null || candidate.expiresAt <= tx.now ? undefined : candidate;
}

function referenceOf({ version, digest, percent, expiresAt }: CandidateRow): CandidateReference {
  return { version, digest, percent, expires_at: expiresAt.toISOString() };
}

/** The same manifest under the keys that sign now. Its digest is that of its payload and stays. */
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
