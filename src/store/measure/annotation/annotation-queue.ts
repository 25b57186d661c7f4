// The queue of traces to annotate. The random lane is a sample with known probabilities; the informative lane has what
// annotators learn most from.

import { defineEntity, p } from "@mikro-orm/core";
import {
  type AnnotationLane,
  AnnotationSource,
  type AnnotationStratum,
} from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import { insertRows, runBound } from "../../core/bulk.ts";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";
import { FacetKind } from "../../telemetry/trace-facet.ts";
import { matchesTrace, type TraceFilter } from "../../telemetry/trace-query.ts";

const schema = defineEntity({
  name: "AnnotationQueue",
  tableName: "annotation_queue",
  ...tenantTable,
  indexes: [
    { name: "annotation_queue_next", properties: ["orgId", "projectId", "lane", "rank"], where: "done_at is null" },
    { name: "annotation_queue_leases", properties: ["orgId", "leasedBy"], where: "leased_by is not null" },
  ],
  properties: {
    orgId: p.uuid().primary(),
    traceId: p.uuid().primary(),
    lane: p.smallint().$type<AnnotationLane>().primary(),
    /** 1, or 2 for the second person who annotates the same trace. */
    seat: p.smallint().primary(),
    projectId: p.uuid(),
    environment: p.text(),
    traceCreatedAt: p.datetime(3),
    stratum: p.smallint().$type<AnnotationStratum>(),
    /** With which probability the random lane chose it; null in the informative one. */
    probability: p.double().$type<number>().nullable(),
    /** Its place in the lane: the smallest is given out first. */
    rank: p.double().$type<number>(),
    /** Why the informative lane has it; empty in the random one. */
    reason: p.text(),
    /** Fingerprint of what was found; null where that is not the reason. */
    fingerprint: p.text().nullable(),
    createdAt: p.datetime(3),
    /** Who works on it, as "<kind>/<id>" of an annotator; null when nobody does. */
    leasedBy: p.text().nullable(),
    leasedUntil: p.datetime(3).nullable(),
    doneAt: p.datetime(3).nullable(),
    /** Those who do not want to judge it. */
    skippedBy: p.array().columnType("text[]").defaultRaw("'{}'"),
  },
});

/** One place in the queue. */
export class AnnotationQueueRow extends schema.class {}
schema.setClass(AnnotationQueueRow);

/** The lanes of the queue. */
export const Lane = { RANDOM: 1, INFORMATIVE: 2 } as const;

/** Strata of the random lane, each with a rate of its own: SQL that tells the stratum of a trace `t`. */
const stratumOf = "case when t.outcome > 1 then 1 when t.would_be_outcome > 1 then 2 else 3 end";

/** What the random lane samples. */
export interface RandomFill {
  readonly projectId: string;
  readonly since: Date;
  readonly until: Date;
  /** Decides, together with the id of a trace, whether it enters. */
  readonly key: Uint8Array;
}

/**
 * Adds the traces of a time to the random lane that their keyed hash chooses. The first 48 bits of SHA-256 over the key
 * and the id are the trace's place in [0, 1), and it enters below the rate of its day and stratum. Key and id have a
 * fixed length, so the plain hash is as good as an HMAC. The next 48 bits choose the tenth that a second person gets.
 */
export async function fillRandomLane(tx: Transaction, { projectId, since, until, key }: RandomFill): Promise<void> {
  const place = (from: number) =>
    `('x' || encode(substring(d.digest from ${from} for 6), 'hex'))::bit(48)::bigint / 281474976710656.0::float8`;
  await runBound(
    tx,
    `with sampled as (
       select t.id, t.created_at, t.environment, r.stratum, r.probability, ${place(1)} as place, ${place(7)} as second
       from trace t cross join lateral (select sha256($5::bytea || uuid_send(t.id)) as digest) d
       join annotation_rate r on r.org_id = t.org_id and r.project_id = t.project_id
         and r.day = (t.created_at at time zone 'UTC')::date and r.stratum = ${stratumOf}
       where t.org_id = $1 and t.project_id = $2 and t.created_at >= $3 and t.created_at < $4 and t.erased_at is null)
     insert into annotation_queue (org_id, trace_id, lane, seat, project_id, environment, trace_created_at, stratum,
       probability, rank, reason, created_at)
     select $1, s.id, ${Lane.RANDOM}, seat, $2, s.environment, s.created_at, s.stratum, s.probability,
       s.place / s.probability, '', $6
     from sampled s cross join lateral generate_series(1, case when s.second < 0.1 then 2 else 1 end) seat
     where s.place < s.probability
     on conflict do nothing`,
    [tx.orgId, projectId, since, until, Buffer.from(key), tx.now],
  );
}

/** A trace that the informative lane may take. */
export interface InformativeCandidate {
  readonly id: string;
  readonly createdAt: Date;
  readonly environment: string;
  readonly stratum: AnnotationStratum;
  readonly record: Buffer;
  /** Whether a candidate bundle judged otherwise, and whether annotators disagree. */
  readonly isContested: boolean;
  readonly isDisputed: boolean;
}

interface CandidateRead {
  readonly id: string;
  readonly created_ms: number;
  readonly environment: string;
  readonly stratum: AnnotationStratum;
  readonly record: Buffer;
  readonly contested: boolean;
  readonly disputed: boolean;
}

/** Of which traces candidates are read: of one project, since a time, the newest of them. */
export interface CandidateWindow {
  readonly projectId: string;
  readonly since: Date;
  readonly limit: number;
}

const candidateColumns = `t.id, (extract(epoch from t.created_at) * 1000)::float8 as created_ms, t.environment,
  ${stratumOf} as stratum, t.record`;

/**
 * Not in the informative lane yet, and not waiting in the random one: who would annotate it for being informative would
 * thin out the random sample where it is hardest.
 */
const isFree = `not exists (select from annotation_queue q where q.org_id = t.org_id and q.trace_id = t.id
  and (q.lane = ${Lane.INFORMATIVE} or q.done_at is null))`;

/** The newest traces of a time in which something was found or could not be judged, or a candidate disagrees. */
export async function informativeCandidates(
  tx: Transaction,
  { projectId, since, limit }: CandidateWindow,
): Promise<InformativeCandidate[]> {
  const rows = await runBound<CandidateRead>(
    tx,
    `select ${candidateColumns}, coalesce(c.contested, false) as contested, false as disputed
     from trace t
     left join lateral (select true as contested from candidate_sample c
       where c.org_id = t.org_id and c.evaluation_id = t.id limit 1) c on true
     where t.org_id = $1 and t.project_id = $2 and t.created_at >= $3 and t.erased_at is null
       and (t.would_be_outcome > 1 or c.contested or exists (select from trace_facet f
         where f.org_id = t.org_id and f.id = t.id and f.created_at = t.created_at and f.kind = ${FacetKind.UNJUDGED}))
       and ${isFree}
     order by t.created_at desc, t.id limit $4`,
    [tx.orgId, projectId, since, limit],
  );
  return rows.map(candidateOf);
}

/** The newest traces of a time about which annotators disagree: they do so days after a trace was made. */
export async function disputedCandidates(
  tx: Transaction,
  { projectId, since, limit }: CandidateWindow,
): Promise<InformativeCandidate[]> {
  const rows = await runBound<CandidateRead>(
    tx,
    `select ${candidateColumns}, false as contested, true as disputed
     from (select distinct v.trace_id, v.trace_created_at from annotation_verdict v
       where v.org_id = $1 and v.project_id = $2 and v.trace_created_at >= $3 and v.is_disputed) v
     join trace t on t.org_id = $1 and t.id = v.trace_id and t.created_at = v.trace_created_at and t.created_at >= $3
     where t.erased_at is null and ${isFree}
     order by t.created_at desc, t.id limit $4`,
    [tx.orgId, projectId, since, limit],
  );
  return rows.map(candidateOf);
}

function candidateOf(row: CandidateRead): InformativeCandidate {
  return {
    ...{ id: row.id, createdAt: new Date(Math.round(row.created_ms)), environment: row.environment },
    ...{ stratum: row.stratum, record: row.record, isContested: row.contested, isDisputed: row.disputed },
  };
}

/** A trace that goes into the informative lane. */
export interface InformativeItem extends Omit<InformativeCandidate, "record" | "isContested" | "isDisputed"> {
  readonly rank: number;
  readonly reason: string;
  readonly fingerprint: string | null;
}

/** Adds traces to the informative lane. */
export async function fillInformativeLane(
  tx: Transaction,
  projectId: string,
  items: readonly InformativeItem[],
): Promise<void> {
  const rows = items.map((item) => [
    ...[tx.orgId, item.id, Lane.INFORMATIVE, 1, projectId, item.environment, item.createdAt, item.stratum],
    ...[item.rank, item.reason, item.fingerprint, tx.now],
  ]);
  const columns = ["org_id", "trace_id", "lane", "seat", "project_id", "environment", "trace_created_at", "stratum"];
  await insertRows(tx, {
    table: "annotation_queue",
    columns: [...columns, "rank", "reason", "fingerprint", "created_at"],
    ...{ rows, suffix: "on conflict do nothing" },
  });
}

/** Fingerprints of the informative items that were added since a time; null for items without one. */
export async function fingerprintsSince(
  tx: Transaction,
  projectId: string,
  since: Date,
): Promise<readonly (string | null)[]> {
  const rows = await runBound<{ fingerprint: string | null }>(
    tx,
    `select fingerprint from annotation_queue
     where org_id = $1 and project_id = $2 and lane = ${Lane.INFORMATIVE} and created_at >= $3`,
    [tx.orgId, projectId, since],
  );
  return rows.map(({ fingerprint }) => fingerprint);
}

/**
 * Removes the open items beyond a project's limit that would be given out last. In the random lane these are the ones
 * with the largest hashes, so that what is left is still a random sample.
 */
export async function trimQueue(tx: Transaction, projectId: string, limit: number): Promise<void> {
  await runBound(
    tx,
    `delete from annotation_queue q using (
       select trace_id, lane, seat from annotation_queue
       where org_id = $1 and project_id = $2 and done_at is null
       order by lane, rank, trace_id, seat offset $3) beyond
     where q.org_id = $1 and q.trace_id = beyond.trace_id and q.lane = beyond.lane and q.seat = beyond.seat`,
    [tx.orgId, projectId, limit],
  );
}

/** Which part of the queue somebody asks for: of which traces, and of which lane. */
export interface QueueFilter extends TraceFilter {
  readonly lane?: number | undefined;
}

const open = `q.org_id = $1 and q.done_at is null and not $2 = any(q.skipped_by)
  and ($3::uuid is null or q.project_id = $3) and ($4::text is null or q.environment = $4)
  and ($5::smallint is null or q.lane = $5)`;

/**
 * All but places that somebody else holds, and of traces that the annotator has annotated or holds another place of. The
 * random lane asks again about what was annotated otherwise, such as after a complaint: left out, it would be missing in
 * the sample.
 */
const available = `(q.leased_by is null or q.leased_until <= $6 or q.leased_by = $2)
  and not exists (select from annotation_queue o where o.org_id = q.org_id and o.trace_id = q.trace_id
    and (o.lane, o.seat) <> (q.lane, q.seat) and o.leased_by = $2 and (o.done_at is null or o.lane = q.lane))
  and not exists (select from annotation a where a.org_id = q.org_id and a.trace_id = q.trace_id and a.is_current
    and a.withdrawn_at is null and a.annotator_kind || '/' || a.annotator_id = $2
    and (q.lane <> ${Lane.RANDOM} or a.source = ${AnnotationSource.RANDOM}))`;

/** The places that an annotator could have, as SQL, and its parameters. */
function placesFor(tx: Transaction, annotator: string, filter: QueueFilter) {
  // The queue knows project and environment itself.
  const { projectId, environment, lane, ...others } = filter;
  const parameters: unknown[] = [tx.orgId, annotator, projectId ?? null, environment ?? null, lane ?? null, tx.now];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const isAny = Object.values(others).every((value) => value === undefined);
  const asked = isAny
    ? ""
    : `and exists (select from trace t where t.org_id = q.org_id and t.id = q.trace_id
        and t.created_at = q.trace_created_at and ${matchesTrace(others, bind)})`;
  return { matching: `from annotation_queue q where ${open} and ${available} ${asked}`, parameters, bind };
}

/** A page of the places that an annotator could have, those that they hold first, and the count of all. */
export async function listQueue(
  tx: Transaction,
  annotator: string,
  filter: QueueFilter,
  { limit, offset }: Page,
): Promise<[AnnotationQueueRow[], number]> {
  const { matching, parameters, bind } = placesFor(tx, annotator, filter);
  const counted = await runBound<{ count: number }>(tx, `select count(*)::int as count ${matching}`, [...parameters]);
  const rows = await runBound<Place>(
    tx,
    `select q.trace_id, q.lane, q.seat ${matching}
     order by q.leased_by is not distinct from $2 desc, q.lane, q.rank, q.trace_id, q.seat
     limit ${bind(limit)} offset ${bind(offset)}`,
    parameters,
  );
  return [await readPlaces(tx, rows), counted[0]?.count ?? 0];
}

/** Leases up to `limit` places to an annotator, one for each trace; those that they hold are leased anew. */
export async function leaseQueue(
  tx: Transaction,
  annotator: string,
  filter: QueueFilter,
  { limit, until }: { readonly limit: number; readonly until: Date },
): Promise<AnnotationQueueRow[]> {
  const { matching, parameters, bind } = placesFor(tx, annotator, filter);
  const rows = await runBound<Place>(
    tx,
    // A trace may have two open places in either lane.
    `select q.trace_id, q.lane, q.seat ${matching}
     order by q.leased_by is not distinct from $2 desc, q.lane, q.rank, q.trace_id, q.seat limit ${bind(limit * 3)}
     for no key update skip locked`,
    parameters,
  );
  const places = rows.filter(({ trace_id }, at) => rows.findIndex((row) => row.trace_id === trace_id) === at);
  const leased = await readPlaces(tx, places.slice(0, limit));
  for (const row of leased) Object.assign(row, { leasedBy: annotator, leasedUntil: until });
  await tx.em.flush();
  return leased;
}

interface Place {
  readonly trace_id: string;
  readonly lane: number;
  readonly seat: number;
}

async function readPlaces(tx: Transaction, places: readonly Place[]): Promise<AnnotationQueueRow[]> {
  if (places.length === 0) return [];
  const ids = places.map(({ trace_id }) => trace_id);
  const rows = await tx.em.find(AnnotationQueueRow, { orgId: tx.orgId, traceId: { $in: ids } });
  const keyOf = (traceId: string, lane: number, seat: number) => `${traceId}/${lane}/${seat}`;
  const byKey = new Map(rows.map((row) => [keyOf(row.traceId, row.lane, row.seat), row]));
  return places.flatMap(({ trace_id, lane, seat }) => byKey.get(keyOf(trace_id, lane, seat)) ?? []);
}

/** Takes a trace out of an annotator's queue. Returns whether it was in the queue. */
export async function skipInQueue(tx: Transaction, annotator: string, traceId: string): Promise<boolean> {
  const rows = await runBound(
    tx,
    `update annotation_queue set skipped_by = array_append(array_remove(skipped_by, $2), $2),
       leased_until = case when leased_by = $2 then null else leased_until end,
       leased_by = case when leased_by = $2 then null else leased_by end
     where org_id = $1 and trace_id = $3 and done_at is null returning lane`,
    [tx.orgId, annotator, traceId],
  );
  return rows.length > 0;
}

/**
 * Marks the place that an annotator holds in a trace as done. Returns its lane, the random one where they have had both,
 * or undefined without one.
 */
export async function finishPlace(tx: Transaction, annotator: string, traceId: string): Promise<number | undefined> {
  const rows = await runBound<{ lane: number }>(
    tx,
    `update annotation_queue set done_at = coalesce(done_at, $4)
     where org_id = $1 and trace_id = $3 and leased_by = $2 returning lane`,
    [tx.orgId, annotator, traceId, tx.now],
  );
  return rows.length === 0 ? undefined : Math.min(...rows.map(({ lane }) => lane));
}

/** With which probability the random lane took a trace; null when it did not. */
export async function samplingOf(tx: Transaction, traceId: string): Promise<number | null> {
  const rows = await runBound<{ probability: number }>(
    tx,
    `select probability from annotation_queue where org_id = $1 and trace_id = $2 and lane = ${Lane.RANDOM} limit 1`,
    [tx.orgId, traceId],
  );
  return rows[0]?.probability ?? null;
}
