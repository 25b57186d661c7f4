// What `operator after-restore` says: as an object for --json, and as lines for people.

import type { RestoredKeys, RestoredOrganization } from "./domain/operator/after-restore.ts";
import type { Repeated } from "./domain/operator/erasure-repeat.ts";
import { whyNotStarted } from "./kit/process/start-failure.ts";

/** The result of a verb: an object for --json, and lines for people. */
export interface Answer {
  readonly json: object;
  readonly lines: readonly string[];
  /** 0 when undefined. */
  readonly exitCode?: 1;
}

/** What became of the organizations. */
export interface BroughtOut {
  readonly restored: readonly RestoredOrganization[];
  /** Organizations that an earlier run of the same restore brought out. */
  readonly before: readonly string[];
  readonly failed: readonly { readonly orgId: string; readonly error: unknown }[];
  /** Ids of no organization. */
  readonly unknown: readonly string[];
}

/** What became of everything. */
export interface RestoreOutcome extends BroughtOut {
  /** Erasures that were repeated, or were to be. */
  readonly erasures: readonly Repeated[];
  /** Whether processes go on. */
  readonly isAccepted: boolean;
  /** Whether it was about the whole installation. */
  readonly isAll: boolean;
}

/** The answer of the verb. */
export function answerOf({ restored, before, failed, erasures, isAccepted, isAll }: RestoreOutcome): Answer {
  const repeated = erasures.filter((each) => !("failure" in each)).map(({ id }) => id);
  const unrepeated = erasures.flatMap((each) => ("failure" in each ? [each] : []));
  const hasFailed = failed.length > 0 || unrepeated.length > 0;
  const lines = [
    ...restored.flatMap(linesOf),
    ...before.map((id) => `Organization ${id} was brought out before.`),
    ...repeated.map((id) => `The erasure ${id} was repeated.`),
    "A runtime that knows none of these signing keys stays at its bundle (rejected): start it once with --repin.",
    ...failed.map(({ orgId, error }) => `Organization ${orgId} FAILED, and was not brought out: ${told(error)}`),
    ...unrepeated.map(({ id, orgId, failure }) => `The erasure ${id} of ${orgId} FAILED: ${told(failure)}`),
    ...(hasFailed && isAll
      ? ["Control planes and workers are not ready yet: mend what failed, and repeat the command with --continue."]
      : []),
  ];
  const json = {
    ...{ organizations: restored.map(jsonOf), brought_out_before: before },
    failed: failed.map(({ orgId, error }) => ({ org_id: orgId, message: told(error) })),
    erasures_repeated: repeated,
    erasures_failed: unrepeated.map(({ id, orgId, failure }) => ({ id, org_id: orgId, message: told(failure) })),
    is_accepted: isAccepted,
  };
  return { json, lines, ...(hasFailed && { exitCode: 1 as const }) };
}

function told(error: unknown): string {
  return whyNotStarted(error).split("\n", 1)[0] ?? "";
}

function linesOf(done: RestoredOrganization): string[] {
  const { orgId, name, keys, environments, epoch, runtimes, tokens, members, recounted } = done;
  return [
    `Organization ${orgId} ("${name}") signs with the new key ${keys.made.kid}; ` +
      `${members} members have to sign in again.`,
    ...keyLines(keys),
    ...environments.map((each) => `  ${each.name}: version ${each.version}, by activation ${each.activationSeq}`),
    ...(epoch === undefined
      ? []
      : [`  its log of evidence begins epoch ${epoch.epoch} after ${epoch.size} entries, as ${epoch.origin}`]),
    ...runtimes.map(({ id, environment, witnessedSize, isForked }) => {
      const seen = `had seen ${witnessedSize} entries${isForked ? " that this log does not continue" : ""}`;
      const next = keys.areAllNew ? "start it once with --repin" : "it follows when it is connected";
      return `  runtime ${id} (${environment}) ${seen}; ${next}`;
    }),
    ...recounted.map((month) => `  the evaluations of ${month.slice(0, 7)} were counted anew`),
    ...tokens.map(({ row, state, value }) => {
      const made = `${row.kind} ${row.prefix}… "${row.name}" of ${row.createdAt.toISOString()} by ${row.createdBy}`;
      if (state === "kept") return `  token ${row.id}: ${made} works; revoke it if it was revoked after the backup`;
      return `  token ${row.id}: ${made} was ${state}${value === undefined ? "" : `: ${value}`}`;
    }),
  ];
}

function keyLines({ madeRoom, revoked, live, areAllNew }: RestoredKeys): string[] {
  return [
    ...(madeRoom === undefined ? [] : [`  the key ${madeRoom.kid} was revoked, as there were four`]),
    ...revoked.map(({ kid, use }) => `  the key ${kid} (${use}) was revoked again`),
    ...live.map((row) => `  key ${row.kid} (${row.use}, ${row.state}) of ${row.createdAt.toISOString()} lives`),
    "  keys that were revoked after the backup live again: repeat their revocation with --revoke-keys, or by the API",
    ...(areAllNew
      ? ["  no key of bundles from before the backup is left, so each of its runtimes has to pin keys anew (--repin)"]
      : []),
  ];
}

function jsonOf(done: RestoredOrganization) {
  const { keys } = done;
  return {
    org_id: done.orgId,
    name: done.name,
    signing_key: keys.made.kid,
    key_revoked: keys.madeRoom?.kid ?? null,
    keys_revoked: keys.revoked.map(({ kid }) => kid),
    keys: keys.live.map(({ kid, use, state, createdAt }) => {
      return { kid, use, state, created_at: createdAt.toISOString() };
    }),
    members: done.members,
    environments: done.environments.map(({ name, version, activationSeq }) => {
      return { name, version, activation_seq: activationSeq };
    }),
    epoch: done.epoch && { epoch: done.epoch.epoch, origin: done.epoch.origin, tree_size: done.epoch.size },
    runtimes: done.runtimes.map(({ id, environment, witnessedSize, isForked }) => {
      const witnessed = { witnessed_size: witnessedSize, is_forked: isForked };
      return { instance_id: id, environment, ...witnessed, has_to_repin: keys.areAllNew };
    }),
    months_recounted: done.recounted.map((month) => month.slice(0, 7)),
    tokens: done.tokens.map(({ row, state, value }) => ({
      ...{ id: row.id, kind: row.kind, name: row.name, prefix: row.prefix, created_by: row.createdBy, state },
      ...{ created_at: row.createdAt.toISOString(), last_used_at: row.lastUsedAt?.toISOString() ?? null },
      value: value ?? null,
    })),
  };
}
