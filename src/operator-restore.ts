// `operator after-restore`: for one organization, or for the whole installation, which then works again.

import { readFileSync } from "node:fs";
import type { operatorSchema } from "./config.ts";
import { trialSigner } from "./domain/bundle/external-signer.ts";
import { SigningKeys } from "./domain/bundle/signing-keys.ts";
import { eraseSamplesAbout } from "./domain/measure/dataset/dataset-erasure.ts";
import {
  AfterRestore,
  type RestoredOrganization,
  type RestoreInput,
  rotatedKinds,
} from "./domain/operator/after-restore.ts";
import { ErasureRepeat } from "./domain/operator/erasure-repeat.ts";
import { readName, readOrgId, unknownOrganization } from "./domain/operator/operator.ts";
import { RunWorker } from "./domain/run/run-worker.ts";
import { ErasureRun } from "./domain/telemetry/erasure-run.ts";
import { externalSigner } from "./external-signer.ts";
import { validationFailed } from "./kit/fault/fault.ts";
import { createOutbound } from "./kit/net/outbound/client.ts";
import { createNetworkGuard } from "./kit/net/outbound/guard.ts";
import { createLog } from "./kit/observability/log.ts";
import { systemClock } from "./kit/process/clock.ts";
import type { Config } from "./kit/process/config.ts";
import type { OperatorCommand } from "./operator-arguments.ts";
import { createSealer, parseMasterKeys, type Sealer } from "./platform/seal.ts";
import type { Database } from "./store/connection/database.ts";
import { acceptDatabase } from "./store/core/database-identity.ts";
import { lookUpOrganizations } from "./store/tenancy/organization.ts";

/** The result of a verb: an object for --json, and lines for people. */
export interface Answer {
  readonly json: object;
  readonly lines: readonly string[];
}

/** What the verb works with. */
export interface RestoreParts {
  readonly config: Config<typeof operatorSchema>;
  readonly database: Database;
  readonly openWorker: () => Promise<Database>;
  readonly actor: string;
  readonly isDryRun: boolean;
}

/** Brings an organization, or all of them, out of a restore. */
export async function afterRestore({ subject, options }: OperatorCommand, parts: RestoreParts): Promise<Answer> {
  const { database, openWorker, actor, isDryRun } = parts;
  const { reason = "", rotate, erasures, "revoke-created-before": before, "nothing-lost": isWhole } = options;
  if (isWhole) {
    if ([subject, reason, rotate, erasures, before].some(Boolean))
      throw wrong("nothing-lost", "is about the whole database, and takes nothing else");
    if (!isDryRun) await acceptDatabase(await openWorker());
    const line = "The installation works on this database, of which nothing is said to be lost.";
    return { json: { organizations: [] }, lines: [line] };
  }
  const orgIds = subject === "" ? undefined : [readOrgId(subject)];
  const input: RestoreInput = {
    reason: readName(reason, "reason"),
    revokeCreatedBefore: readDate(before),
    rotate: readKinds(rotate),
  };
  const worker = await openWorker();
  const ledger: unknown = erasures === undefined ? undefined : JSON.parse(readFileSync(erasures, "utf8"));
  const sealer = sealerOf(parts.config);
  const outbound = createOutbound({
    guard: createNetworkGuard({
      allowNetworks: parts.config.allowNetworks ?? [],
      dnsServers: parts.config.dnsServers ?? [],
    }),
  });
  try {
    const signer = externalSigner(parts.config, outbound);
    const keys = new SigningKeys(database, sealer, signer && (isDryRun ? trialSigner(signer) : signer));
    const work = new AfterRestore({ database, keys, actor, isDryRun });
    const restored: RestoredOrganization[] = [];
    for (const id of orgIds ?? (await lookUpOrganizations(worker)).map((row) => row.id)) {
      const done = await work.restore(id, input);
      if (done !== undefined) restored.push(done);
      else if (orgIds !== undefined) throw unknownOrganization();
    }
    const erased = ledger === undefined || isDryRun ? [] : await repeatErasures(worker, sealer, ledger);
    if (orgIds === undefined && !isDryRun) await acceptDatabase(worker);
    return answerOf(restored, erased);
  } finally {
    await outbound.close();
  }
}

function sealerOf({ masterKey }: Config<typeof operatorSchema>): Sealer {
  if (masterKey === undefined)
    throw new Error("POLICY_GUARD_MASTER_KEY: unset; this verb signs with keys that it seals");
  return createSealer({ masterKeys: parseMasterKeys(masterKey) });
}

/** Repeats the erasures of a ledger that was kept elsewhere. Returns the ids of those that the backup did not have. */
async function repeatErasures(worker: Database, sealer: Sealer, ledger: unknown): Promise<string[]> {
  const log = createLog({ name: "operator", level: "error" });
  const kinds = { erasure: new ErasureRun(sealer, eraseSamplesAbout) };
  const repeated: string[] = [];
  const runs = new RunWorker(worker, { kinds, clock: systemClock, log });
  for await (const { id, erased } of new ErasureRepeat(worker, runs).repeat(ledger))
    if (erased !== undefined) repeated.push(id);
  return repeated;
}

function readDate(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw wrong("revoke-created-before", "expected a date such as 2027-01-31");
  return date;
}

function readKinds(text: string | undefined): RestoreInput["rotate"] {
  return (text?.split(",") ?? []).map((name) => {
    const kind = rotatedKinds.find((each) => each === name);
    if (kind === undefined) throw wrong("rotate", `expected ${rotatedKinds.join(",")}, or one of them`);
    return kind;
  });
}

function wrong(field: string, message: string) {
  return validationFailed([{ field, message }]);
}

function answerOf(restored: readonly RestoredOrganization[], erased: readonly string[]): Answer {
  const lines = [
    ...restored.flatMap(linesOf),
    ...erased.map((id) => `The erasure ${id} was repeated.`),
    "A runtime that knows none of these signing keys stays at its bundle (rejected): start it once with --repin.",
  ];
  return { json: { organizations: restored.map(jsonOf), erasures_repeated: erased }, lines };
}

function linesOf(done: RestoredOrganization): string[] {
  const { orgId, name, keys, environments, epoch, runtimes, tokens, members, recounted } = done;
  return [
    `Organization ${orgId} ("${name}") signs with the new key ${keys.made.kid}; ` +
      `${members} members have to sign in again.`,
    ...(keys.revoked === undefined ? [] : [`  the key ${keys.revoked.kid} was revoked, as there were four`]),
    ...keys.live.map((row) => `  key ${row.kid} (${row.use}, ${row.state}) of ${row.createdAt.toISOString()} lives`),
    "  revoke the keys that were revoked after the backup, before a runtime is started with --repin",
    ...environments.map((each) => `  ${each.name}: version ${each.version}, by activation ${each.activationSeq}`),
    ...(epoch === undefined
      ? []
      : [`  its log of evidence begins epoch ${epoch.epoch} after ${epoch.size} entries, as ${epoch.origin}`]),
    ...runtimes.map(({ id, environment, witnessedSize, isForked }) => {
      const seen = isForked
        ? `had seen ${witnessedSize} entries, more than there are`
        : `had seen ${witnessedSize} entries`;
      return `  runtime ${id} (${environment}) ${seen}; it follows when it is connected`;
    }),
    ...recounted.map((month) => `  the evaluations of ${month.slice(0, 7)} were counted anew`),
    ...tokens.map(({ row, state, value }) => {
      const made = `${row.kind} ${row.prefix}… "${row.name}" of ${row.createdAt.toISOString()} by ${row.createdBy}`;
      if (state === "kept") return `  token ${row.id}: ${made} works; revoke it if it was revoked after the backup`;
      return `  token ${row.id}: ${made} was ${state}${value === undefined ? "" : `: ${value}`}`;
    }),
  ];
}

function jsonOf(done: RestoredOrganization) {
  return {
    org_id: done.orgId,
    name: done.name,
    signing_key: done.keys.made.kid,
    key_revoked: done.keys.revoked?.kid ?? null,
    keys: done.keys.live.map(({ kid, use, state, createdAt }) => {
      return { kid, use, state, created_at: createdAt.toISOString() };
    }),
    members: done.members,
    environments: done.environments.map(({ name, version, activationSeq }) => {
      return { name, version, activation_seq: activationSeq };
    }),
    epoch: done.epoch && { epoch: done.epoch.epoch, origin: done.epoch.origin, tree_size: done.epoch.size },
    runtimes: done.runtimes.map(({ id, environment, witnessedSize, isForked }) => {
      return { instance_id: id, environment, witnessed_size: witnessedSize, is_forked: isForked };
    }),
    months_recounted: done.recounted.map((month) => month.slice(0, 7)),
    tokens: done.tokens.map(({ row, state, value }) => ({
      ...{ id: row.id, kind: row.kind, name: row.name, prefix: row.prefix, created_by: row.createdBy, state },
      ...{ created_at: row.createdAt.toISOString(), last_used_at: row.lastUsedAt?.toISOString() ?? null },
      value: value ?? null,
    })),
  };
}
