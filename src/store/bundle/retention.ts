import type { Transaction } from "../core/transaction.ts";
import type { EnvironmentRow } from "../project/environment.ts";
import { newestVersion } from "./bundle.ts";

/**
 * Marks old versions as purged: those that were published before the moment, were not active since, and are neither
 * active, nor the newest, nor the candidate. Returns how many. The environment has to be locked.
 */
export async function purgeBundles(tx: Transaction, environment: EnvironmentRow, before: Date): Promise<number> {
  const { id, activeVersion } = environment;
  const rows = await tx.sql(
    `update bundle set purged_at = ?
     where org_id = ? and environment_id = ? and purged_at is null and created_at < ?
       and version <> ? and version <> ?
       and not exists (select from activation where activation.org_id = bundle.org_id
         and activation.environment_id = bundle.environment_id and activation.version = bundle.version
         and activation.issued_at >= ?)
       and not exists (select from candidate where candidate.org_id = bundle.org_id
         and candidate.environment_id = bundle.environment_id and candidate.version = bundle.version)
     returning id`,
    [tx.now, tx.orgId, id, before, activeVersion ?? 0, await newestVersion(tx, id), before],
  );
  return rows.length;
}

/**
 * Deletes parts that no bundle with content refers to. A part that is stored or used again at the same time has a newer
 * date, and stays. Returns how many.
 */
export async function deleteUnusedParts(tx: Transaction, before: Date): Promise<number> {
  const rows = await tx.sql(
    `delete from bundle_part where org_id = ? and created_at < ? and not exists (
       select from bundle where bundle.org_id = bundle_part.org_id and bundle.purged_at is null
         and bundle.parts @> jsonb_build_array(jsonb_build_object('digest', bundle_part.digest)))
     returning digest`,
    [tx.orgId, before],
  );
  return rows.length;
}

/** Marks parts as used, so that nobody deletes them at the same time. */
export async function touchParts(tx: Transaction, digests: readonly string[]): Promise<void> {
  for (const digest of [...digests].sort()) {
    await tx.sql("update bundle_part set created_at = ? where org_id = ? and digest = ?", [tx.now, tx.orgId, digest]);
  }
}
