// Signs a new version, whether it is published, published again or promoted: it gets the environment's next number and
// a manifest signed with the present keys, and its parts are stored under their digests.

import { contentDigest, type ManifestPayload } from "../../kit/bundle/statement-payload.ts";
import { signStatement, statementDigest } from "../../kit/crypto/statement.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { type BundledPolicy, BundleRow, type PartReference } from "../../store/bundle/bundle.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../store/project/environment.ts";
import type { TestCount } from "../analysis/check-release.ts";
import { personBehind } from "../identity/token.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** A bundle before it has a number and a signature. Its parts are stored already. */
export interface BundleDraft {
  readonly parts: readonly PartReference[];
  readonly policies: readonly BundledPolicy[];
  readonly tests: TestCount;
  /** The oldest runtime that understands the content. */
  readonly minRuntime: string;
  /** Where it comes from, such as "publish". */
  readonly source: string;
  readonly message: string | undefined;
}

/** Signs the draft as the environment's next version. The environment has to be locked. */
export async function signBundle(
  tx: Transaction,
  keys: SigningKeys,
  { caller, environment, draft }: { caller: Caller; environment: EnvironmentRow; draft: BundleDraft },
): Promise<BundleRow> {
  environment.latestVersion += 1;
  const manifest = manifestOf(tx, environment, draft);
  const statement = await signStatement("manifest", manifest, await keys.signing(tx));
  return tx.em.create(BundleRow, {
    orgId: tx.orgId,
    id: newId(),
    projectId: environment.projectId,
    environmentId: environment.id,
    environment: environment.name,
    version: manifest.version,
    digest: statementDigest(statement),
    contentDigest: manifest.content_digest,
    source: manifest.source,
    message: draft.message ?? null,
    manifest: statement,
    parts: manifest.parts,
    policies: draft.policies,
    sizeBytes: manifest.parts.reduce((sum, part) => sum + part.size, 0),
    testsPassed: draft.tests.passed,
    testsFailed: draft.tests.failed,
    createdBy: caller.credential.label,
    authorId: await personBehind(tx, caller.credential),
    createdAt: tx.now,
    activatedAt: null,
    activationSeq: null,
    purgedAt: null,
  });
}

function manifestOf(
  tx: Transaction,
  environment: EnvironmentRow,
  { parts, tests, source, minRuntime }: BundleDraft,
): ManifestPayload {
  const entries = parts.map(({ path, size, digest }) => ({ path, size, digest }));
  return {
    org_id: tx.orgId,
    project_id: environment.projectId,
    environment: environment.name,
    version: environment.latestVersion,
    created_at: tx.now.toISOString(),
    source,
    content_digest: contentDigest(entries),
    parts: entries,
    min_runtime: minRuntime,
    tests: { passed: tests.passed, failed: tests.failed },
  };
}
