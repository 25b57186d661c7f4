// Traces by the million, made in the server: 4 projects × 3 environments, something found in every ninth, evenly over
// 30 days. Indexes are taken away before and made again afterwards, since random ids make each row of ten million cost
// a page of its own in an index that does not fit into memory.

import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type pg from "pg";
import { FindingSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, Outcome, Severity, Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureMode, EvaluationRecordSchema } from "../../gen/policyguard/policy/v1/record_pb.ts";
import { writeRecord } from "../../src/domain/telemetry/trace-text.ts";

// The time over which the traces are spread.
const days = 30;
const dayMs = 86_400_000;
const rowsAtOnce = 1_000_000;

/** The person who has `ofOnePerson` traces. */
export const wantedPerson = "wanted";

/** Traces to make. */
export interface TracesToMake {
  readonly orgId: string;
  readonly traces: number;
  /** How many of them are of one person, evenly among the others. */
  readonly ofOnePerson: number;
}

/** One of the four projects. */
export function projectOf(n: number): string {
  return `00000000-0000-4000-8000-00000000000${n}`;
}

/** Makes traces with their facets and counts. `owner` owns the tables. */
export async function makeTraces(owner: pg.Client, all: readonly TracesToMake[]): Promise<void> {
  await owner.query("set synchronous_commit = off; set maintenance_work_mem = '1GB'");
  const makeIndexes = await dropIndexes(owner, ["trace", "trace_facet"]);
  for (const { orgId, ...each } of all) {
    await within(owner, orgId, (query) => makeRows(query, orgId, each));
    console.log(`${new Date().toISOString()}: ${each.traces} traces made`);
  }
  await makeIndexes();
  console.log(`${new Date().toISOString()}: indexes made`);
  await owner.query("vacuum (analyze) trace, trace_facet, trace_rollup");
  await owner.query("reset synchronous_commit; reset maintenance_work_mem");
  console.log(`${new Date().toISOString()}: ready\n`);
}

type Query = (text: string, values?: readonly unknown[]) => Promise<unknown>;

async function within(owner: pg.Client, orgId: string, work: (query: Query) => Promise<void>): Promise<void> {
  await owner.query("begin");
  await owner.query("select set_config('app.org_id', $1, true)", [orgId]);
  await work((text, values) => owner.query(text, values as unknown[]));
  await owner.query("commit");
}

/** Drops all indexes of partitioned tables. Returns what makes them again. */
async function dropIndexes(owner: pg.Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await owner.query<{ drop: string; make: string }>(
    `select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
         else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
       case when c.oid is null then replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
         else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
         end as make
     from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
     where i.indrelid = any ($1::regclass[])`,
    [tables],
  );
  for (const { drop } of rows) await owner.query(drop);
  return async () => {
    for (const { make } of rows) await owner.query(make);
  };
}

async function makeRows(
  query: Query,
  orgId: string,
  { traces, ofOnePerson }: Omit<TracesToMake, "orgId">,
): Promise<void> {
  const records = [
    recordOf({ isFound: false }),
    recordOf({ isFound: true }),
    recordOf({ isFound: false, userId: wantedPerson }),
  ];
  const stepMs = Math.floor((days * dayMs) / traces);
  const each = Math.floor(traces / ofOnePerson);
  for (let first = 1; first <= traces; first += rowsAtOnce) {
    await query(
      `insert into trace (org_id, id, created_at, project_id, environment, agent_key, session_id, user_id, stage,
         outcome, would_be_outcome, bundle_version, latency_us, language, capture, received_at, record, form)
       select $1, gen_random_uuid(), made_at, ('00000000-0000-4000-8000-00000000000' || 1 + n % 4)::uuid,
         (array['dev', 'staging', 'prod'])[1 + n / 4 % 3], 'agent-' || n % 5, 'session-' || n / 100,
         case when n % $4 = 1 then '${wantedPerson}' else 'user-' || n % 5000 end, 1 + n % 3,
         outcome, outcome, 1, 180, 'en', ${CaptureMode.NONE}, made_at,
         case when n % $4 = 1 then $7::bytea when outcome > ${Outcome.ALLOW} then $6 else $5 end, 1
       from generate_series($2::int, $3::int) n cross join lateral (
         select date_trunc('milliseconds', now()) - n * ${stepMs}::float8 * interval '1 millisecond' as made_at,
           case when n % 9 = 0 then ${Outcome.BLOCK} else ${Outcome.ALLOW} end as outcome) of_n`,
      [orgId, first, Math.min(first + rowsAtOnce - 1, traces), each, ...records],
    );
  }
  await query(
    `insert into trace_facet (org_id, id, created_at, kind, value)
     select $1, id, created_at, kind, value from trace cross join lateral (
       values (1, 'common'), (2, 'guard'), (3, 'pii'), (4, 'pii.email'),
         (case when id::text like '00%' then 1 end, 'rare'),
         (case when id::text like '0%' then 5 end, 'timeout')) facet (kind, value)
     where org_id = $1 and outcome > ${Outcome.ALLOW} and kind is not null`,
    [orgId],
  );
  await query(
    `insert into trace_rollup (org_id, day, project_id, environment, agent_key, outcome, count)
     select org_id, (created_at at time zone 'UTC')::date, project_id, environment, agent_key, outcome, count(*)
     from trace where org_id = $1 group by 1, 2, 3, 4, 5, 6`,
    [orgId],
  );
}

function recordOf({ isFound, userId = "" }: { readonly isFound: boolean; readonly userId?: string }): Buffer {
  const outcome = isFound ? Outcome.BLOCK : Outcome.ALLOW;
  const findings = Array.from({ length: isFound ? 2 : 0 }, (_, i) =>
    create(FindingSchema, {
      ...{ ruleId: "common", policy: "guard", detector: "pii", category: "pii.email", severity: Severity.LOW },
      ...{ action: outcome, mode: Mode.ENFORCE, segment: "s1", start: 10 * i, end: 10 * i + 8, score: 0.9 },
      ...{ threshold: 0.5, layer: "plain", fingerprint: `f${i}` },
    }),
  );
  const record = create(EvaluationRecordSchema, {
    ...{ evaluationId: projectOf(9), createdAt: timestampFromDate(new Date()), stage: Stage.INPUT, outcome },
    ...{ wouldBeOutcome: outcome, findings, userId, agentId: "agent-1", sessionId: "session-1", language: "en" },
    ...{ latencyUs: 180, capture: CaptureMode.NONE, metadata: { tenant: "acme", ticket: 7, region: "eu" } },
    ...{ bundle: { version: 1, digest: `sha256:${"0".repeat(64)}`, activationSeq: 1 } },
    ...(isFound ? { decidedByRule: "common", decidedByPolicy: "guard" } : {}),
  });
  return Buffer.from(writeRecord(record));
}
