// Reads traces: pages of lists, bounded counts, and the keyset pages of exports.
//
// A search has a driver: the most selective of its filters that has an index in the order of lists. Where the driver
// answers the whole filter, a page is one statement. Otherwise the search walks along the driver in growing chunks and
// looks at each trace, up to a bound; a search that stops there says how far it has come.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import { findEvaluationTime } from "./evaluation-key.ts";
import { FacetKind } from "./trace-facet.ts";

/** The filter of a search. Every given field has to match. */
export interface TraceFilter {
  readonly projectId?: string;
  readonly environment?: string;
  readonly agentKey?: string;
  readonly outcome?: number;
  readonly stage?: number;
  readonly bundleVersion?: number;
  readonly sessionId?: string;
  readonly userId?: string;
  /** A rule that found something, the policy or the detector of one, or a category of what was found. */
  readonly ruleId?: string;
  readonly policy?: string;
  readonly detector?: string;
  readonly category?: string;
  /** Why something could not be judged. */
  readonly unjudged?: string;
  /** Set for traces that may have captured text. */
  readonly hasText?: true;
  /** What the outcome would be if shadow rules counted. */
  readonly wouldBeOutcome?: number;
  /** The language as the trace has it. */
  readonly language?: string;
  /** The least and the longest time that the engine took, in microseconds. */
  readonly minLatencyUs?: number;
  readonly maxLatencyUs?: number;
  /** What annotators say, as the facet has it; "none" for traces that nobody has annotated. */
  readonly annotation?: string;
  /** Earliest time. */
  readonly since?: Date;
  /** Time after the latest one. */
  readonly until?: Date;
  /**
   * The only times in which there can be a match, the newest first and apart from each other, all of them between
   * `since` and `until`. Without them a search looks at everything between the two.
   */
  readonly windows?: readonly TimeWindow[];
}

/** A time, and the first moment after it. Where one is missing the window has no such end. */
export interface TimeWindow {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** The columns that are read of a trace; everything else is in the record. */
export interface FoundTrace {
  readonly id: string;
  readonly createdAt: Date;
  readonly projectId: string;
  readonly environment: string;
  readonly agentKey: string | null;
  readonly runtimeInstanceId: string | null;
  readonly receivedAt: Date;
  readonly erasedAt: Date | null;
  readonly record: Buffer;
}

/** A position in the order of lists: after this trace. */
export interface TraceCursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** Rows of the driver that one search looks at. */
export const maxExamined = 200_000;

// Small enough that the planner goes along the index, and growing, so that rare matches do not cost many round trips.
const chunkSizes = [1_000, 4_000, 16_000, 64_000];

/** Rows of each driver that are counted to choose one. */
const probedRows = 1_000;

// MikroORM's driver leaves timestamps as text; milliseconds since 1970 need no parser.
const found = `t.id, (extract(epoch from t.created_at) * 1000)::float8 as created_ms, t.project_id, t.environment,
  t.agent_key, t.runtime_instance_id, (extract(epoch from t.received_at) * 1000)::float8 as received_ms,
  (extract(epoch from t.erased_at) * 1000)::float8 as erased_ms, t.record`;

interface Row {
  readonly id: string;
  readonly created_ms: number;
  readonly project_id: string;
  readonly environment: string;
  readonly agent_key: string | null;
  readonly runtime_instance_id: string | null;
  readonly received_ms: number;
  readonly erased_ms: number | null;
  readonly record: Buffer;
}

/** The trace, or undefined. `projectId` narrows to one project. */
export async function findTrace(tx: Transaction, id: string, projectId?: string): Promise<FoundTrace | undefined> {
  // The time leads to one partition of maybe a hundred. Keys of old traces are gone.
  const createdAt = await findEvaluationTime(tx, id);
  const known = createdAt && (await readTraces(tx, [{ id, createdAt }]))[0];
  const trace = known ?? (await findOldTrace(tx, id));
  return projectId === undefined || trace?.projectId === projectId ? trace : undefined;
}

async function findOldTrace(tx: Transaction, id: string): Promise<FoundTrace | undefined> {
  const rows = await runBound<Row>(
    tx,
    `select ${found} from trace t where t.org_id = $1 and t.id = $2 order by t.created_at desc limit 1`,
    [tx.orgId, id],
  );
  return rows.map(foundTrace)[0];
}

/** The traces at these positions, in their order. */
export async function readTraces(tx: Transaction, positions: readonly TraceCursor[]): Promise<FoundTrace[]> {
  if (positions.length === 0) return [];
  const times = positions.map(({ createdAt }) => createdAt.getTime());
  // The bounds let the planner leave out the partitions of other months.
  const rows = await runBound<Row>(
    tx,
    `select ${found} from unnest($2::uuid[], $3::float8[]) with ordinality as page (id, created_ms, place) join trace t
       on t.org_id = $1 and t.id = page.id and t.created_at = to_timestamp(page.created_ms / 1000.0)
     where t.created_at >= $4 and t.created_at <= $5 order by place`,
    [
      ...[tx.orgId, positions.map(({ id }) => id), times],
      ...[new Date(Math.min(...times)), new Date(Math.max(...times))],
    ],
  );
  return rows.map(foundTrace);
}

function foundTrace(row: Row): FoundTrace {
  return {
    id: row.id,
    createdAt: momentOf(row.created_ms),
    projectId: row.project_id,
    environment: row.environment,
    agentKey: row.agent_key,
    runtimeInstanceId: row.runtime_instance_id,
    receivedAt: momentOf(row.received_ms),
    erasedAt: row.erased_ms === null ? null : momentOf(row.erased_ms),
    record: row.record,
  };
}

/** Which part of a search's result to find. */
export interface SearchPage {
  readonly limit: number;
  /** Traces to leave out first. */
  readonly offset: number;
  readonly after: TraceCursor | undefined;
  /** Rows of the driver to look at; another bound is for tests. */
  readonly maxRows?: number;
}

/** What a search has found. */
export interface SearchResult {
  readonly positions: readonly TraceCursor[];
  /**
   * Everything that is older than this was not looked at, since the search has reached its bound; undefined when it
   * has seen all that it had to. It lies a moment after the last trace that was looked at, so that a search `until`
   * then misses none.
   */
  readonly examinedUntil: Date | undefined;
  /** How many traces match from the beginning of the search on, when it has seen all of them. */
  readonly count?: number;
}

/** Where a walk has come. */
export interface Walk {
  readonly matches: readonly TraceCursor[];
  /** The last row that was looked at if there are more; undefined when the walk has seen everything. */
  readonly end: TraceCursor | undefined;
}

/** The page of what a walk from the beginning of a search has found. */
export function pageOfWalk(
  { matches, end }: Walk,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): SearchResult {
  const positions = matches.slice(offset, offset + limit);
  if (end === undefined) return { positions, examinedUntil: undefined, count: matches.length };
  if (matches.length >= offset + limit) return { positions, examinedUntil: undefined };
  // The traces of the last millisecond are left to the next search: it cannot begin in the middle of one.
  const earlier = matches.filter(({ createdAt }) => createdAt > end.createdAt);
  return {
    positions: earlier.slice(offset, offset + limit),
    examinedUntil: new Date(end.createdAt.getTime() + 1),
  };
}

/** A filter with the index that a search by it goes along. */
export class TraceSearch {
  readonly #orgId: string;
  readonly #filter: TraceFilter;
  readonly #driver: Driver;

  private constructor(orgId: string, filter: TraceFilter, driver: Driver) {
    this.#orgId = orgId;
    this.#filter = filter;
    this.#driver = driver;
  }

  /** Prepares a search. Where several indexes could lead it, it takes the one with the fewest entries lately. */
  static async of(tx: Transaction, filter: TraceFilter): Promise<TraceSearch> {
    const drivers = driversOf(filter);
    const [first = wholeDriver] = drivers;
    if (drivers.length <= 1) return new TraceSearch(tx.orgId, filter, first);
    const oldest = await Promise.all(drivers.map((driver) => probe(tx, filter, driver)));
    const best = drivers.reduce((chosen, _, at) => ((oldest[at] ?? 0) < (oldest[chosen] ?? 0) ? at : chosen), 0);
    return new TraceSearch(tx.orgId, filter, drivers[best] ?? first);
  }

  /** Whether traces have to be looked at one by one, since no index answers the whole filter. */
  get walks(): boolean {
    return restOf(this.#filter, this.#driver).length > 0;
  }

  /** The positions of a page. */
  async page(tx: Transaction, { limit, offset, after, maxRows = maxExamined }: SearchPage): Promise<SearchResult> {
    if (!this.walks) return { positions: await this.#direct(tx, { limit, offset, after }), examinedUntil: undefined };
    return pageOfWalk(await this.walk(tx, { after, wanted: offset + limit, maxRows }), { limit, offset });
  }

  /** How many traces match, counted no further than `limit`; `isComplete` is false when the count stopped before. */
  async count(tx: Transaction, limit: number): Promise<{ readonly count: number; readonly isComplete: boolean }> {
    if (this.walks) {
      const { matches, end } = await this.walk(tx, { after: undefined, wanted: limit, maxRows: maxExamined });
      return { count: Math.min(matches.length, limit), isComplete: matches.length < limit && end === undefined };
    }
    const query = new Query(this.#orgId, this.#filter, this.#driver);
    const rows = await runBound<{ count: number }>(
      tx,
      `select count(*)::int as count from (select 1 ${query.driven()} limit ${query.bind(limit)}) counted`,
      query.parameters,
    );
    const count = rows[0]?.count ?? 0;
    return { count, isComplete: count < limit };
  }

  /** Goes along the driver until `wanted` traces match, it ends, or `maxRows` of its rows were looked at. */
  async walk(
    tx: Transaction,
    {
      after,
      wanted,
      maxRows,
    }: { readonly after: TraceCursor | undefined; readonly wanted: number; readonly maxRows: number },
  ): Promise<Walk> {
    const matches: TraceCursor[] = [];
    const { since, until, windows = [{ since, until }] } = this.#filter;
    let examined = 0;
    let chunk = 0;
    for (const window of windows) {
      if (after !== undefined && window.since !== undefined && after.createdAt < window.since) continue;
      for (let from = after, isOver = false; !isOver; chunk += 1) {
        const next = chunkSizes[Math.min(chunk, chunkSizes.length - 1)] ?? 1;
        const enough = rowsFor(wanted - matches.length, matches.length / examined);
        const size = Math.min(next, enough, maxRows - examined);
        const step = await this.#chunk(tx, { after: from, window, size });
        for (const match of step.matches) matches.push(match);
        examined += step.examined;
        from = step.end;
        isOver = step.end === undefined;
        const isLast = isOver && window === windows.at(-1);
        if (!isLast && step.last !== undefined && (matches.length >= wanted || examined >= maxRows))
          return { matches, end: step.last };
      }
    }
    return { matches, end: undefined };
  }

  async #direct(tx: Transaction, { limit, offset, after }: SearchPage): Promise<TraceCursor[]> {
    const query = new Query(this.#orgId, this.#filter, this.#driver);
    const rows = await runBound<Position>(
      tx,
      `select d.id, ${millisecondsOf("d")} ${query.driven(after)}
       order by d.created_at desc, d.id limit ${query.bind(limit)} offset ${query.bind(offset)}`,
      query.parameters,
    );
    return rows.map(positionOf);
  }

  async #chunk(
    tx: Transaction,
    {
      after,
      window,
      size,
    }: { readonly after: TraceCursor | undefined; readonly window: TimeWindow; readonly size: number },
  ) {
    const last = await this.#lastOf(tx, { after, window, size });
    if (last === undefined) return { matches: [], examined: 0, last: undefined, end: undefined };
    const { position, examined } = last;
    // The traces are looked for between the ends of the chunk, given as parameters: when the planner takes those of a
    // project, say, from their own index, it reads no more of them than lie beside the chunk.
    const until = earliest(window.until, after && new Date(after.createdAt.getTime() + 1));
    const beside = { since: position.createdAt, until };
    const query = new Query(this.#orgId, this.#filter, this.#driver, beside);
    const rows = await runBound<Position>(
      tx,
      `with chunk as materialized (select d.id, d.created_at ${query.driven(after, position)})
       select chunk.id, ${millisecondsOf("chunk")} from chunk join trace t
         on t.org_id = $1 and t.id = chunk.id and t.created_at = chunk.created_at
       where ${query.rest()} order by chunk.created_at desc, chunk.id`,
      query.parameters,
    );
    const end = examined === size ? position : undefined;
    return { matches: rows.map(positionOf), examined, last: position, end };
  }

  /** The last of the next rows of the driver, and how many there are; undefined when there are none. */
  async #lastOf(
    tx: Transaction,
    {
      after,
      window,
      size,
    }: { readonly after: TraceCursor | undefined; readonly window: TimeWindow; readonly size: number },
  ) {
    const query = new Query(this.#orgId, this.#filter, this.#driver, window);
    const driven = query.driven(after);
    const [row] = await runBound<Position & { readonly examined: number }>(
      tx,
      `with chunk as materialized (
         select d.id, d.created_at ${driven} order by d.created_at desc, d.id limit ${query.bind(size)})
       select id, ${millisecondsOf("chunk")}, (select count(*) from chunk)::int as examined from chunk
       order by created_at, id desc limit 1`,
      query.parameters,
    );
    return row && { position: positionOf(row), examined: row.examined };
  }
}

function earliest(a: Date | undefined, b: Date | undefined): Date | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

/** Rows of a driver that have so many matches, and some more, when so large a share of them has matched so far. */
function rowsFor(matches: number, share: number): number {
  const smallest = chunkSizes[0] ?? 1;
  return share > 0 ? Math.max(smallest, Math.ceil((1.2 * matches) / share)) : Number.POSITIVE_INFINITY;
}

interface Position {
  readonly id: string;
  readonly created_ms: number;
}

function positionOf({ id, created_ms }: Position): TraceCursor {
  return { id, createdAt: momentOf(created_ms) };
}

function momentOf(milliseconds: number): Date {
  return new Date(Math.round(milliseconds));
}

function millisecondsOf(table: string): string {
  return `(extract(epoch from ${table}.created_at) * 1000)::float8 as created_ms`;
}

type Field = Exclude<keyof TraceFilter, "since" | "until" | "windows">;

const facetKinds = {
  ruleId: FacetKind.RULE,
  policy: FacetKind.POLICY,
  detector: FacetKind.DETECTOR,
  category: FacetKind.CATEGORY,
  unjudged: FacetKind.UNJUDGED,
  annotation: FacetKind.ANNOTATION,
} as const;

/** The value of `TraceFilter.annotation` for traces without any. It is no facet, so no search goes along it. */
const notAnnotated = "none";

const columns = {
  projectId: "project_id",
  environment: "environment",
  agentKey: "agent_key",
  outcome: "outcome",
  stage: "stage",
  bundleVersion: "bundle_version",
  sessionId: "session_id",
  userId: "user_id",
  wouldBeOutcome: "would_be_outcome",
  language: "language",
} as const;

const latencyBounds = { minLatencyUs: ">=", maxLatencyUs: "<=" } as const;

// Traces of form 0 have their text in the record.
const mayHaveText = `(t.form = 0 or exists (
  select from trace_text x where x.org_id = $1 and x.id = t.id and x.created_at = t.created_at))`;

type IndexedField = keyof typeof columns | keyof typeof facetKinds;

/** An index in the order of lists: of traces by columns, or of facets. */
interface Driver {
  readonly fields: readonly IndexedField[];
  readonly isFacet: boolean;
}

const wholeDriver: Driver = { fields: [], isFacet: false };

/** Indexes that are compared before a search: comparing all of them would take longer than the search. */
const maxCompared = 3;

/** The indexes that the filter can use, the likely best ones first. */
function driversOf(filter: TraceFilter): Driver[] {
  const drivers = allDriversOf(filter);
  // A conversation or a person leads to few traces by itself.
  const isPersonal = filter.sessionId !== undefined || filter.userId !== undefined;
  return drivers.slice(0, isPersonal ? 1 : maxCompared);
}

function allDriversOf(filter: TraceFilter): Driver[] {
  const drivers: Driver[] = [];
  const add = (field: IndexedField, ...others: readonly IndexedField[]) => {
    if (filter[field] === undefined || (field === "annotation" && filter[field] === notAnnotated)) return;
    const fields = [field, ...others.filter((other) => filter[other] !== undefined)];
    drivers.push({ fields, isFacet: field in facetKinds });
  };
  add("sessionId");
  add("userId");
  add("annotation");
  add("unjudged");
  add("ruleId");
  add("category");
  add("detector");
  add("policy");
  add("agentKey");
  // Most traces have the outcome "allow", which the index by outcome leaves out.
  if (filter.outcome !== undefined && filter.outcome > 1) add("outcome");
  add("projectId", "environment");
  return drivers;
}

/** The given fields that the driver does not answer. */
function restOf(filter: TraceFilter, driver: Driver): Field[] {
  const names = [columns, facetKinds, latencyBounds].flatMap(Object.keys);
  const all = [...names, "hasText"] as Field[]; // all of these keys are fields
  const driving: readonly Field[] = driver.fields;
  return all.filter((field) => filter[field] !== undefined && !driving.includes(field));
}

/** When the thousandth newest row of the driver was made: the rarer its rows, the earlier. 0 when there are fewer. */
async function probe(tx: Transaction, filter: TraceFilter, driver: Driver): Promise<number> {
  const query = new Query(tx.orgId, filter, driver);
  const rows = await runBound<Position>(
    tx,
    `select d.id, ${millisecondsOf("d")} ${query.driven()}
     order by d.created_at desc, d.id limit 1 offset ${query.bind(probedRows - 1)}`,
    query.parameters,
  );
  return rows[0]?.created_ms ?? 0;
}

/** The parts of a statement: FROM and WHERE of the driver `d`, and what is left to ask of each trace `t`. */
class Query {
  readonly parameters: unknown[];
  readonly #filter: TraceFilter;
  readonly #driver: Driver;
  readonly #window: TimeWindow;

  constructor(orgId: string, filter: TraceFilter, driver: Driver, window: TimeWindow = filter) {
    this.parameters = [orgId];
    this.#filter = filter;
    this.#driver = driver;
    this.#window = window;
  }

  /** Adds a parameter; returns its placeholder. */
  bind(value: unknown): string {
    this.parameters.push(value);
    return `$${this.parameters.length}`;
  }

  /** The driver within the window, after a position, and up to another one. */
  driven(after?: TraceCursor, last?: TraceCursor): string {
    const conditions = [
      "d.org_id = $1",
      ...this.#driver.fields.map((field) => this.#driving(field)),
      ...this.#times("d"),
    ];
    if (after !== undefined) {
      const [at, id] = [this.bind(after.createdAt), this.bind(after.id)];
      // The first condition alone bounds the index; the second is exact.
      conditions.push(`d.created_at <= ${at} and (d.created_at < ${at} or d.id > ${id})`);
    }
    if (last !== undefined) {
      const [at, id] = [this.bind(last.createdAt), this.bind(last.id)];
      conditions.push(`d.created_at >= ${at} and (d.created_at > ${at} or d.id <= ${id})`);
    }
    return `from ${this.#driver.isFacet ? "trace_facet" : "trace"} d where ${conditions.join(" and ")}`;
  }

  /** What a trace has to match besides. The times let the planner leave out partitions. */
  rest(): string {
    return conditionsOf(this.#filter, restOf(this.#filter, this.#driver), this.#window, (value) => this.bind(value));
  }

  #driving(field: IndexedField): string {
    const value = this.bind(this.#filter[field]);
    if (isFacetField(field)) return `d.kind = ${facetKinds[field]} and d.value = ${value}`;
    // The index by outcome is for those above 1; the planner needs to be told, since it does not see the value.
    return `d.${columns[field]} = ${value}${field === "outcome" ? " and d.outcome > 1" : ""}`;
  }

  #times(table: string): string[] {
    return timesOf(this.#window, table, (value) => this.bind(value));
  }
}

/** Adds a parameter; returns its placeholder. */
type Bind = (value: unknown) => string;

/** What a trace `t` of the organization $1 has to match, as SQL. Windows are left out: they only make searches faster. */
export function matchesTrace(filter: TraceFilter, bind: Bind): string {
  return conditionsOf(filter, restOf(filter, wholeDriver), filter, bind) || "true";
}

function conditionsOf(filter: TraceFilter, fields: readonly Field[], window: TimeWindow, bind: Bind): string {
  return [...fields.map((field) => asked(filter, field, bind)), ...timesOf(window, "t", bind)].join(" and ");
}

function asked(filter: TraceFilter, field: Field, bind: Bind): string {
  if (field === "hasText") return mayHaveText;
  if (field === "annotation" && filter[field] === notAnnotated) {
    return `not exists (select from trace_facet f where f.org_id = $1 and f.id = t.id and f.created_at = t.created_at
      and f.kind = ${facetKinds[field]})`;
  }
  const value = bind(filter[field]);
  if (field === "minLatencyUs" || field === "maxLatencyUs") return `t.latency_us ${latencyBounds[field]} ${value}`;
  if (!isFacetField(field)) return `t.${columns[field]} = ${value}`;
  return `exists (select from trace_facet f where f.org_id = $1 and f.id = t.id and f.created_at = t.created_at
    and f.kind = ${facetKinds[field]} and f.value = ${value})`;
}

function timesOf({ since, until }: TimeWindow, table: string, bind: Bind): string[] {
  return [
    ...(since === undefined ? [] : [`${table}.created_at >= ${bind(since)}`]),
    ...(until === undefined ? [] : [`${table}.created_at < ${bind(until)}`]),
  ];
}

function isFacetField(field: Field): field is keyof typeof facetKinds {
  return field in facetKinds;
}
