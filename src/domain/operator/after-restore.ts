// What has to happen after the database was restored to an earlier moment. Runtimes remember what the database has
// forgotten: numbers of activations, versions and key sets that they have seen and rightly refuse to see again, and
// checkpoints of the log of evidence. Tokens that were revoked since live again, as do sessions, leases and what was
// erased. Each organization is brought out of this in one transaction.

import type { JsonObject } from "@bufbuild/protobuf";
import { newToken, shownPrefix, tokenDigest } from "../../kit/crypto/token.ts";
import { lockMonth, recallLeases } from "../../store/billing/quota-lease.ts";
import { setMonth } from "../../store/billing/usage.ts";
import { findBundle, type SigningKeyRow } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type KnownInstance, listKnownInstances } from "../../store/fleet/runtime-instance.ts";
import { listMemberAccounts } from "../../store/identity/member.ts";
import { revokeSessions } from "../../store/identity/session.ts";
import { listAllTokens, type TokenKind, type TokenRow } from "../../store/identity/token.ts";
import { listEnvironmentIds, lockEnvironmentById } from "../../store/project/environment.ts";
import { listEvidence } from "../../store/telemetry/evidence.ts";
import { findLog } from "../../store/telemetry/evidence-log.ts";
import { findAnyOrganization } from "../../store/tenancy/organization.ts";
import { usageDifferences } from "../billing/usage-reconciliation.ts";
import { activateAnew } from "../bundle/activation.ts";
import { revocationOf } from "../bundle/key-rotation.ts";
import type { RenewedKeys, SigningKeys } from "../bundle/signing-keys.ts";
import { quotaChannel, tokensChannel } from "../channel.ts";
import { credentialKindOf } from "../identity/token.ts";
import { enqueueJob } from "../job.ts";
import { numberAfterRestore } from "../number-after-restore.ts";
import { type BegunEpoch, beginEpoch } from "../telemetry/evidence-epoch.ts";
import { monthAfter, monthOf } from "../telemetry/trace-tally.ts";

/** The action of the entry about an organization that was brought out. */
const action = "organization.after_restore";

/** The kinds of token that can get new values. */
export const rotatedKinds = ["admin", "ci"] as const satisfies readonly TokenKind[];

/** How to go on. */
export interface RestoreInput {
  /** Said in the log of evidence. */
  readonly reason: string;
  /** Kids of keys of bundles or of the log that were revoked after the backup, and are again. */
  readonly revokeKeys: readonly string[];
  /** Revokes tokens that were made before. */
  readonly revokeCreatedBefore?: Date | undefined;
  /** Kinds of token that get new values; the old ones end at once. */
  readonly rotate: readonly (typeof rotatedKinds)[number][];
}

/** A token that works again, and what was done about it. */
export interface FoundAgain {
  readonly row: Pick<TokenRow, "id" | "kind" | "name" | "prefix" | "createdAt" | "createdBy" | "lastUsedAt">;
  readonly state: "kept" | "revoked" | "rotated";
  /** The new value of one that was rotated; it cannot be read again. None in a dry run, as it would not work. */
  readonly value: string | undefined;
}

/** The signing keys of an organization after a restore. */
export interface RestoredKeys extends RenewedKeys {
  /** Those that were revoked again. */
  readonly revoked: readonly SigningKeyRow[];
  /** Every key of either use that lives. */
  readonly live: readonly SigningKeyRow[];
  /** Whether none of the keys that sign from now on is one that runtimes may have pinned: they have to pin anew. */
  readonly areAllNew: boolean;
}

/** An organization that goes on. */
export interface RestoredOrganization {
  readonly orgId: string;
  readonly name: string;
  /** What is in force from now on. */
  readonly environments: readonly { readonly name: string; readonly version: number; readonly activationSeq: number }[];
  readonly keys: RestoredKeys;
  /** Undefined where nothing was ever signed over the log of evidence. */
  readonly epoch: BegunEpoch | undefined;
  readonly runtimes: readonly KnownInstance[];
  readonly tokens: readonly FoundAgain[];
  /** Members who have to sign in again. */
  readonly members: number;
  /** Months whose count of evaluations was made anew. */
  readonly recounted: readonly string[];
}

/** What the work is made with. */
export interface AfterRestoreParts {
  readonly database: Database;
  readonly keys: SigningKeys;
  /** Name of the operator in the log of evidence, such as "operator:ada". */
  readonly actor: string;
  /** Makes every change and rolls it back. */
  readonly isDryRun: boolean;
  /** Names the restore in the entries about it, as their request: so a later run knows who was brought out already. */
  readonly restoreId: string;
}

/** Brings organizations out of a restore. */
export class AfterRestore {
  readonly #parts: AfterRestoreParts;

  constructor(parts: AfterRestoreParts) {
    this.#parts = parts;
  }

  /** Whether this organization was brought out of this restore before. */
  async isDone(orgId: string): Promise<boolean> {
    const filter = { action, actor: undefined, resource: undefined, since: undefined, until: undefined };
    const [found] = await this.#parts.database.read(orgId, (tx) => listEvidence(tx, filter, { limit: 1, offset: 0 }));
    return found.some(({ leaf }) => JSON.parse(leaf).request_id === this.#parts.restoreId);
  }

  /** Brings one organization out of it. Undefined when there is none with this id. */
  async restore(orgId: string, input: RestoreInput): Promise<RestoredOrganization | undefined> {
    const { database, actor, isDryRun, restoreId: requestId } = this.#parts;
    const audit = { action, requestId, address: "" };
    const author = { orgId, credential: { id: "operator", label: actor }, audit };
    const accounts = (await database.read(orgId, listMemberAccounts)).map(({ account_id: id }) => id);
    // First, since the entry of the transaction says that all was done. Nobody is harmed where only this was.
    if (!isDryRun) for (const id of accounts) await database.accountTransaction(id, (tx) => revokeSessions(tx));
    let done: Omit<RestoredOrganization, "members"> | undefined;
    try {
      await database.transaction(author, async (tx) => {
        done = await this.#bringOut(tx, input);
        if (isDryRun) throw new TakenBack();
      });
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error;
    }
    return done && { ...done, members: accounts.length };
  }

  async #bringOut(tx: Transaction, input: RestoreInput): Promise<Omit<RestoredOrganization, "members"> | undefined> {
    const organization = await findAnyOrganization(tx);
    if (organization === null) return undefined;
    const { environments, keys } = await this.#activate(tx, input);
    const tokens = await this.#tokens(tx, input);
    const recounted = await recount(tx);
    const runtimes = await listKnownInstances(tx);
    const { reason } = input;
    // Last, as every change writes its entries last.
    const epoch = (await findLog(tx)) === null ? undefined : await beginEpoch(tx, reason);
    await enqueueJob(tx, "sign-checkpoints", {}, { key: "sign-checkpoints" });
    const after: JsonObject = {
      ...{ reason, signing_key: keys.made.kid, key_revoked: keys.madeRoom?.kid ?? null, epoch: epoch?.epoch ?? null },
      keys_revoked: keys.revoked.map(({ kid }) => kid),
      ...{ tokens_revoked: idsOf(tokens, "revoked"), tokens_rotated: idsOf(tokens, "rotated"), recounted },
    };
    tx.changed({ resource: `organization/${tx.orgId}`, before: null, after });
    return { orgId: tx.orgId, name: organization.name, environments, keys, epoch, runtimes, tokens, recounted };
  }

  /** Leaves numbers out, takes a new signing key, and signs anew what is in force; the log has each activation. */
  async #activate(
    tx: Transaction,
    { revokeKeys }: RestoreInput,
  ): Promise<Pick<RestoredOrganization, "environments" | "keys">> {
    const { keys, actor } = this.#parts;
    // Environments are locked before the keys, as in every publish.
    const locked = [];
    for (const id of await listEnvironmentIds(tx)) locked.push(await lockEnvironmentById(tx, id));
    const renewed = await renewKeys(tx, keys, revokeKeys);
    const active = [];
    for (const environment of locked) {
      if (environment === null) continue;
      const before = { active_version: environment.activeVersion ?? null, activation_seq: environment.activationSeq };
      environment.latestVersion = numberAfterRestore(environment.latestVersion, tx.now);
      environment.activationSeq = numberAfterRestore(environment.activationSeq, tx.now);
      const { name, activeVersion: version } = environment;
      if (version == null || (await findBundle(tx, environment.id, version)) === null) continue;
      const statement = await activateAnew(tx, keys, environment, { author: actor, cause: "restore" });
      const { activationSeq } = environment;
      const after = { active_version: version, activation_seq: activationSeq, statement };
      tx.changed({ resource: `environment/${environment.id}`, action: "environment.activate_anew", before, after });
      active.push({ name, version, activationSeq });
    }
    return { environments: active, keys: renewed };
  }

  /** The tokens that work, of which those that were revoked since the backup work again. */
  async #tokens(tx: Transaction, { revokeCreatedBefore, rotate }: RestoreInput): Promise<FoundAgain[]> {
    const found: FoundAgain[] = [];
    for (const row of await listAllTokens(tx)) {
      const isRotated = rotate.some((kind) => kind === row.kind);
      if (revokeCreatedBefore !== undefined && row.createdAt < revokeCreatedBefore) {
        row.revokedAt = tx.now;
        found.push({ row, state: "revoked", value: undefined });
      } else if (isRotated) found.push({ row, state: "rotated", value: this.#rotate(row) });
      else found.push({ row, state: "kept", value: undefined });
    }
    await tx.em.flush();
    await tx.notify(tokensChannel, {});
    return found;
  }

  /** A new value. Whoever has the old one may be the reason why it was revoked, so it ends at once. */
  #rotate(row: TokenRow): string | undefined {
    const value = newToken(credentialKindOf(row.kind));
    row.digest = tokenDigest(value);
    row.prefix = shownPrefix(value);
    row.previousDigest = null;
    row.previousExpiresAt = null;
    row.previousAccountId = null;
    row.rotatedBy = this.#parts.actor;
    row.rotatedByTokenId = null;
    return this.#parts.isDryRun ? undefined : value;
  }
}

/** Takes a new key, and revokes those that were revoked after the backup. */
async function renewKeys(tx: Transaction, keys: SigningKeys, wanted: readonly string[]): Promise<RestoredKeys> {
  const renewed = await keys.renew(tx);
  const revoked: SigningKeyRow[] = [];
  for (const { kid } of (await keys.live(tx)).filter((row) => wanted.includes(row.kid))) {
    const row = await keys.revoke(tx, kid);
    tx.changed({ ...revocationOf(row), action: "signing_key.revoke" });
    revoked.push(row);
  }
  const live = await keys.live(tx);
  const areAllNew = live.every(({ use, kid }) => use === "log" || kid === renewed.made.kid);
  return { ...renewed, revoked, live, areAllNew };
}

/** Calls leases back, since others may have been granted after the backup, and makes counts that differ anew. */
async function recount(tx: Transaction): Promise<string[]> {
  const before = monthOf(new Date(Date.UTC(tx.now.getUTCFullYear(), tx.now.getUTCMonth() - 1)));
  for (const month of [before, monthOf(tx.now), monthAfter(monthOf(tx.now))]) await lockMonth(tx, month);
  const differences = await usageDifferences(tx, before);
  for (const { month, byDay } of differences) await setMonth(tx, month, byDay);
  await recallLeases(tx, before);
  await tx.notify(quotaChannel, {});
  return differences.map(({ month }) => month);
}

function idsOf(tokens: readonly FoundAgain[], wanted: FoundAgain["state"]): string[] {
  return tokens.filter(({ state }) => state === wanted).map(({ row }) => row.id);
}

/** Thrown to roll back the transaction of a dry run. */
class TakenBack extends Error {}
