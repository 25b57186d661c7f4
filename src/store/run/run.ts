// Runs: long work that is done in slices. The row is the truth; jobs of the queue only wake a worker. Results and
// cursor are written in one transaction, and only by whoever still finds the cursor that it began with, so that no work
// counts twice, whatever dies when.

import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { runBound } from "../core/bulk.ts";
import { lookupRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

/** How far a run has come. */
export type RunState = "queued" | "running" | "succeeded" | "failed" | "canceled";

const schema = defineEntity({
  name: "Run",
  tableName: "run",
  ...lookupTenantTable,
  indexes: [
    {
      name: "run_newest",
      columns: [{ name: "org_id" }, { name: "kind" }, { name: "created_at", sort: "DESC" as const }, { name: "id" }],
    },
    // The runs that are not finished, of all organizations: there are few.
    { name: "run_open", properties: ["touchedAt"], where: "finished_at is null" },
  ],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text(),
    /** The project that it is about; null when it is about several. */
    projectId: p.uuid().nullable(),
    state: p.text().$type<RunState>(),
    /** What is to be done, as JSON. Its kind knows the form. */
    spec: p.text(),
    /** Where the next step begins, in a form that its kind knows; empty before the first. */
    cursor: p.text().default(""),
    done: p.bigint("number").default(0),
    total: p.bigint("number").nullable(),
    /** What has come of it so far, as JSON; null before the first step. */
    report: p.text().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    /** Tries since the last step that was committed. */
    tries: p.integer().default(0),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    startedAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
    /** When somebody last worked on it, or found that it has to wait. */
    touchedAt: p.datetime(3),
  },
});

/** A run. */
export class RunRow extends schema.class {}
schema.setClass(RunRow);

/** Runs of an organization that work at once. */
export const maxRunning = 2;
/** Runs of an organization that wait for their turn, and as many that are held. */
export const maxQueued = 20;
/** The cursor of a run that is held: it waits until somebody releases it. */
export const heldCursor = "held";

/** The run of this kind, or null. */
export function findRun(tx: Transaction, kind: string, id: string): Promise<RunRow | null> {
  return tx.em.findOne(RunRow, { orgId: tx.orgId, kind, id });
}

/** A page of runs of a kind, newest first, and their count. `projectId` narrows to those about one project. */
export function listRuns(
  tx: Transaction,
  kind: string,
  { projectId, ...page }: Page & { readonly projectId?: string | undefined },
): Promise<[RunRow[], number]> {
  const where = { orgId: tx.orgId, kind, ...(projectId !== undefined && { projectId }) };
  return tx.em.findAndCount(RunRow, where, { ...page, orderBy: { createdAt: "desc", id: "asc" } });
}

/** The newest runs about a project that have succeeded since the moment and whose spec has the text, at most ten. */
export function findSucceededRuns(
  tx: Transaction,
  kind: string,
  { projectId, since, text }: { readonly projectId: string; readonly since: Date; readonly text: string },
): Promise<RunRow[]> {
  const where = { orgId: tx.orgId, kind, projectId, state: "succeeded", createdAt: { $gte: since } } as const;
  return tx.em.find(
    RunRow,
    { ...where, spec: { $like: `%${text}%` } },
    { orderBy: { createdAt: "desc", id: "asc" }, limit: 10 },
  );
}

/** The runs of a kind that have not succeeded and were not canceled: their work is still to be done. */
export function listUndoneRuns(tx: Transaction, kind: string): Promise<RunRow[]> {
  return tx.em.find(RunRow, { orgId: tx.orgId, kind, state: { $in: ["queued", "running", "failed"] } });
}

/**
 * Counts the organization's runs that wait for their turn, or those that are held. Until the commit nobody else adds or
 * starts one, so that limits hold.
 */
export async function countQueued(tx: Transaction, { isHeld }: { readonly isHeld: boolean }): Promise<number> {
  await lockTurns(tx);
  const rows = await runBound<{ count: number }>(
    tx,
    `select count(*)::int as count from run
     where org_id = $1 and finished_at is null and state = 'queued' and (cursor = $2) = $3`,
    [tx.orgId, heldCursor, isHeld],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Begins a try: a waiting run starts if fewer than `maxRunning` work. Returns the number of tries since the last step,
 * or undefined when it has to wait on, or is finished.
 */
export async function beginTry(tx: Transaction, id: string): Promise<number | undefined> {
  await lockTurns(tx);
  const rows = await runBound<{ tries: number }>(
    tx,
    `update run set state = 'running', started_at = coalesce(started_at, $3), touched_at = $3, tries = tries + 1
     where org_id = $1 and id = $2 and (state = 'running' or state = 'queued' and cursor <> $5 and $4 >
       (select count(*) from run o where o.org_id = $1 and o.finished_at is null and o.state = 'running'))
     returning tries`,
    [tx.orgId, id, tx.now, maxRunning, heldCursor],
  );
  if (rows[0] !== undefined) return rows[0].tries;
  await runBound(tx, "update run set touched_at = $3 where org_id = $1 and id = $2 and state = 'queued'", [
    ...[tx.orgId, id, tx.now],
  ]);
  return undefined;
}

/** Locks the run for a step that begins at this cursor. Returns whether it still stands there and works. */
export async function lockAtCursor(tx: Transaction, id: string, cursor: string): Promise<boolean> {
  const rows = await runBound(
    tx,
    "select 1 as found from run where org_id = $1 and id = $2 and cursor = $3 and state = 'running' for update",
    [tx.orgId, id, cursor],
  );
  return rows.length > 0;
}

/** Locks a run that is held. Returns whether it is. */
export async function lockHeldRun(tx: Transaction, id: string): Promise<boolean> {
  const rows = await runBound(
    tx,
    "select 1 as found from run where org_id = $1 and id = $2 and cursor = $3 and state = 'queued' for update",
    [tx.orgId, id, heldCursor],
  );
  return rows.length > 0;
}

/** Lets a run that is held wait for its turn. */
export async function releaseRun(tx: Transaction, id: string): Promise<void> {
  await runBound(tx, "update run set cursor = '', touched_at = $4 where org_id = $1 and id = $2 and cursor = $3", [
    ...[tx.orgId, id, heldCursor, tx.now],
  ]);
}

/** Cancels held runs that were made before the moment. */
export async function cancelHeldRuns(tx: Transaction, before: Date): Promise<void> {
  await runBound(
    tx,
    `update run set state = 'canceled', finished_at = $4, touched_at = $4
     where org_id = $1 and cursor = $2 and state = 'queued' and created_at < $3`,
    [tx.orgId, heldCursor, before, tx.now],
  );
}

/** Where a run stands after a step. */
export interface RunAdvance {
  readonly cursor: string;
  readonly done: number;
  readonly total: number | null;
  readonly report: string;
}

/** Writes where the run stands after a step that began at cursor `from`. Returns false when it stood elsewhere. */
export async function advanceRun(tx: Transaction, id: string, from: string, to: RunAdvance): Promise<boolean> {
  const rows = await runBound(
    tx,
    `update run set cursor = $4, done = $5, total = $6, report = $7, touched_at = $8, tries = 0
     where org_id = $1 and id = $2 and cursor = $3 and state = 'running' returning 1 as advanced`,
    [tx.orgId, id, from, to.cursor, to.done, to.total, to.report, tx.now],
  );
  return rows.length > 0;
}

/** Notes that somebody works on the run, in the middle of a long step. */
export async function touchRun(tx: Transaction, id: string): Promise<void> {
  await runBound(tx, "update run set touched_at = $3 where org_id = $1 and id = $2 and finished_at is null", [
    ...[tx.orgId, id, tx.now],
  ]);
}

/** How a run ends. */
export interface RunEnd {
  readonly state: "succeeded" | "failed" | "canceled";
  readonly error?: { readonly code: string; readonly message: string };
  /** Replaces the spec, when something in it is not to be kept. */
  readonly spec?: string;
}

/** Ends a run that is not finished. Returns whether it was not. */
export async function endRun(tx: Transaction, id: string, { state, error, spec }: RunEnd): Promise<boolean> {
  const rows = await runBound(
    tx,
    `update run set state = $3, error_code = $4, error_message = $5, spec = coalesce($6, spec), finished_at = $7,
       touched_at = $7
     where org_id = $1 and id = $2 and finished_at is null returning 1 as ended`,
    [tx.orgId, id, state, error?.code ?? null, error?.message ?? null, spec ?? null, tx.now],
  );
  return rows.length > 0;
}

/** The ids of the runs that wait for their turn, oldest first: as many as could start now. */
export async function nextRuns(tx: Transaction): Promise<string[]> {
  const rows = await runBound<{ id: string }>(
    tx,
    `select id from run where org_id = $1 and finished_at is null and state = 'queued' and cursor <> $3
     order by created_at, id limit $2`,
    [tx.orgId, maxRunning, heldCursor],
  );
  return rows.map(({ id }) => id);
}

/** Deletes the run, whatever its state; what belongs to it goes with it. */
export async function deleteRun(tx: Transaction, id: string): Promise<void> {
  await runBound(tx, "delete from run where org_id = $1 and id = $2", [tx.orgId, id]);
}

/** Deletes finished runs that were made before the moment. Returns how many. */
export async function deleteRunsBefore(tx: Transaction, moment: Date): Promise<number> {
  const rows = await runBound(
    tx,
    "delete from run where org_id = $1 and created_at < $2 and finished_at is not null returning 1 as gone",
    [tx.orgId, moment],
  );
  return rows.length;
}

/** A run of any organization. */
export interface RunAddress {
  readonly org_id: string;
  readonly run_id: string;
}

/** Runs that are not finished and that nobody has touched since the moment, at most `limit`. */
export function lookUpStaleRuns(database: Lookups, moment: Date, limit: number): Promise<RunAddress[]> {
  return database.lookup("stale_runs", [moment, limit]);
}

/** Functions about runs. */
export const runFunctions: readonly SqlFunction[] = [
  {
    signature: "stale_runs(timestamptz, int)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.stale_runs(touched_before timestamptz, most int)
      returns table (org_id uuid, run_id uuid)
      language sql stable security definer set search_path = pg_catalog, public as $$
        select r.org_id, r.id from public.run r
        where r.finished_at is null and r.touched_at < touched_before and r.cursor <> '${heldCursor}'
        order by r.touched_at limit most
      $$`,
  },
];

// Runs are added and started one at a time in an organization, so that counts of them hold until the commit.
async function lockTurns(tx: Transaction): Promise<void> {
  await runBound(tx, "select pg_advisory_xact_lock(hashtextextended('run/' || $1, 0))", [tx.orgId]);
}

/** How many runs of a kind that were added in a time have these values in their spec. */
export async function countRunsAbout(
  tx: Transaction,
  {
    kind,
    specPart,
    since,
    until,
  }: {
    readonly kind: string;
    readonly specPart: Readonly<Record<string, string>>;
    readonly since: Date;
    readonly until: Date;
  },
): Promise<number> {
  const rows = await runBound<{ count: number }>(
    tx,
    `select count(*)::int as count from run
     where org_id = $1 and kind = $2 and created_at >= $3 and created_at <= $4 and spec::jsonb @> $5::jsonb`,
    [tx.orgId, kind, since, until, JSON.stringify(specPart)],
  );
  return rows[0]?.count ?? 0;
}
