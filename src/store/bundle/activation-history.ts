// The history of an environment: its activations, with what their versions say of them.

import type { Page } from "../../kit/rpc/page.ts";
import type { Transaction } from "../core/transaction.ts";
import type { ActivationCause } from "./bundle.ts";

/** An activation with what is needed of its version. */
export interface StoredActivation {
  readonly activation_seq: number;
  readonly version: number;
  readonly digest: string;
  readonly cause: ActivationCause | null;
  readonly message: string | null;
  readonly created_by: string;
  readonly activated_at: Date | null;
  /** The version of the activation before it; null for the first. */
  readonly previous_version: number | null;
  readonly source: string;
  readonly bundle_message: string | null;
  readonly published_at: Date;
  /** When the version was last put into force in place of another, or anew by its own activation. */
  readonly last_activated_at: Date | null;
  /** Of the version's last activation, overrides included. */
  readonly last_activation_seq: number | null;
}

/** A page of the environment's activations, the newest first, and their count. */
export async function listActivations(
  tx: Transaction,
  environmentId: string,
  { limit, offset }: Page,
): Promise<[StoredActivation[], number]> {
  const [counted] = await tx.sql<{ total: number }>(
    "select count(*)::int as total from activation where org_id = ? and environment_id = ?",
    [tx.orgId, environmentId],
  );
  const rows = await tx.sql<StoredActivation>(
    `select a.activation_seq, a.version, a.digest, a.cause, a.message, a.created_by, a.activated_at,
       (select former.version from activation former
        where former.org_id = a.org_id and former.environment_id = a.environment_id
          and former.activation_seq < a.activation_seq
        order by former.activation_seq desc limit 1) as previous_version,
       b.source, b.message as bundle_message, b.created_at as published_at,
       b.activated_at as last_activated_at, b.activation_seq as last_activation_seq
     from activation a
     join bundle b on b.org_id = a.org_id and b.environment_id = a.environment_id and b.version = a.version
     where a.org_id = ? and a.environment_id = ?
     order by a.activation_seq desc limit ? offset ?`,
    [tx.orgId, environmentId, limit, offset],
  );
  return [rows, counted?.total ?? 0];
}
