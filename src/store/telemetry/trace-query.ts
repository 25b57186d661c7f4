// Reads traces: pages of lists, bounded counts, and the keyset pages of exports.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import { FacetKind } from "./trace-facet.ts";

/** The filter of a search. Every given field has to match. */
export interface TraceFilter {
  readonly projectId?: string;
  readonly environment?: string;
  readonly agentKey?: string;
  readonly outcome?: number;
  readonly ruleId?: string;
  readonly sessionId?: string;
  readonly userId?: string;
  /** Earliest time. */
  readonly since?: Date;
  /** Time after the latest one. */
  readonly until?: Date;
}

/** The columns that are read of a trace; everything else is in the record. */
export interface FoundTrace {
  readonly id: string;
  readonly createdAt: Date;
  readonly projectId: string;
  readonly environment: string;
  readonly agentKey: string | null;
  readonly receivedAt: Date;
  readonly erasedAt: Date | null;
  readonly record: Buffer;
}

/** A position in the order of lists: after this trace. */
export interface TraceCursor {
  readonly createdAt: Date;
  readonly id: string;
}

// MikroORM's driver leaves timestamps as text; milliseconds since 1970 need no parser.
const found = `t.id, (extract(epoch from t.created_at) * 1000)::float8 as created_ms, t.project_id, t.environment,
  t.agent_key, (extract(epoch from t.received_at) * 1000)::float8 as received_ms,
  (extract(epoch from t.erased_at) * 1000)::float8 as erased_ms, t.record`;

interface Row {
  readonly id: string;
  readonly created_ms: number;
  readonly project_id: string;
  readonly environment: string;
  readonly agent_key: string | null;
  readonly received_ms: number;
  readonly erased_ms: number | null;
  readonly record: Buffer;
}

/** The trace, or undefined. `projectId` narrows to one project. */
export async function findTrace(tx: Transaction, id: string, projectId?: string): Promise<FoundTrace | undefined> {
  const rows = await runBound<Row>(
    tx,
    `select ${found} from trace t where t.org_id = $1 and t.id = $2 and ($3::uuid is null or t.project_id = $3)
     order by t.created_at desc limit 1`,
    [tx.orgId, id, projectId ?? null],
  );
  return rows.map(foundTrace)[0];
}

/** A page of traces, newest first. */
export async function listTraces(
  tx: Transaction,
  filter: TraceFilter,
  page: { readonly limit: number; readonly offset: number } | { readonly limit: number; readonly after?: TraceCursor },
): Promise<FoundTrace[]> {
  const query = new Query(tx.orgId, filter);
  if ("after" in page && page.after !== undefined) query.startAfter(page.after);
  const offset = "offset" in page ? page.offset : 0;
  // Only the ids are sorted and skipped; the wide rows are fetched for the page alone.
  const ids = `select ${query.key}.id, ${query.key}.created_at ${query.fromWhere()}
    order by ${query.key}.created_at desc, ${query.key}.id limit ${query.bind(page.limit)} offset ${query.bind(offset)}`;
  const rows = await runBound<Row>(
    tx,
    `select ${found} from (${ids}) page join trace t
       on t.org_id = $1 and t.id = page.id and t.created_at = page.created_at
     order by page.created_at desc, page.id`,
    query.parameters,
  );
  return rows.map(foundTrace);
}

function foundTrace(row: Row): FoundTrace {
  return {
    id: row.id,
    createdAt: new Date(Math.round(row.created_ms)),
    projectId: row.project_id,
    environment: row.environment,
    agentKey: row.agent_key,
    receivedAt: new Date(Math.round(row.received_ms)),
    erasedAt: row.erased_ms === null ? null : new Date(Math.round(row.erased_ms)),
    record: row.record,
  };
}

/** How many traces match, counted no further than `limit`. */
export async function countTraces(tx: Transaction, filter: TraceFilter, limit: number): Promise<number> {
  const query = new Query(tx.orgId, filter);
  const rows = await runBound<{ count: number }>(
    tx,
    `select count(*)::int as count from (select 1 ${query.fromWhere()} limit ${query.bind(limit)}) counted`,
    query.parameters,
  );
  return rows[0]?.count ?? 0;
}

/**
 * The FROM and WHERE of a filter. A filter by rule reads the index of facets and joins the trace only when it has to.
 */
class Query {
  readonly parameters: unknown[];
  /** Alias of the table whose index gives the order. */
  readonly key: "f" | "t";
  readonly #conditions: string[];
  #joinsTrace = false;

  constructor(orgId: string, filter: TraceFilter) {
    this.parameters = [orgId];
    this.key = filter.ruleId === undefined ? "t" : "f";
    this.#conditions = [`${this.key}.org_id = $1`];
    this.#equals("t.project_id", filter.projectId);
    this.#equals("t.environment", filter.environment);
    this.#equals("t.agent_key", filter.agentKey);
    this.#equals("t.session_id", filter.sessionId);
    this.#equals("t.user_id", filter.userId);
    this.#equals("t.outcome", filter.outcome);
    // The partial index by outcome is for those above 1; the planner needs to be told, since it does not see the value.
    if (filter.outcome !== undefined && filter.outcome > 1) this.#conditions.push("t.outcome > 1");
    this.#joinsTrace = this.#conditions.length > 1;
    if (filter.ruleId !== undefined) this.#equals("f.kind", FacetKind.RULE);
    this.#equals("f.value", filter.ruleId);
    if (filter.since !== undefined) this.#conditions.push(`${this.key}.created_at >= ${this.bind(filter.since)}`);
    if (filter.until !== undefined) this.#conditions.push(`${this.key}.created_at < ${this.bind(filter.until)}`);
  }

  /** Adds a parameter; returns its placeholder. */
  bind(value: unknown): string {
    this.parameters.push(value);
    return `$${this.parameters.length}`;
  }

  /** Only what comes after this position. The first condition alone bounds the index; the second is exact. */
  startAfter({ createdAt, id }: TraceCursor): void {
    const at = this.bind(createdAt);
    const placeholder = this.bind(id);
    this.#conditions.push(
      `${this.key}.created_at <= ${at} and (${this.key}.created_at < ${at} or ${this.key}.id > ${placeholder})`,
    );
  }

  fromWhere(): string {
    const where = `where ${this.#conditions.join(" and ")}`;
    if (this.key === "t") return `from trace t ${where}`;
    if (!this.#joinsTrace) return `from trace_facet f ${where}`;
    return `from trace_facet f join trace t on t.org_id = f.org_id and t.id = f.id and t.created_at = f.created_at ${where}`;
  }

  #equals(column: string, value: string | number | undefined): void {
    if (value !== undefined) this.#conditions.push(`${column} = ${this.bind(value)}`);
  }
}
