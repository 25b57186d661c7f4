// Pages of traces: by offset, or after a position, with their total.

import { validationFailed } from "../../kit/fault/fault.ts";
import { isUuid } from "../../kit/process/id.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  pageOfWalk,
  type SearchResult,
  type TraceCursor,
  type TraceFilter,
  type TraceSearch,
  type Walk,
} from "../../store/telemetry/trace-query.ts";
import { countByRollups } from "../../store/telemetry/trace-rollup.ts";
import { dayOf } from "./trace-tally.ts";
import { prepareSearch } from "./version-window.ts";

const dayMs = 86_400_000;

/** Where counting stops for a total that is not in the rollups. */
export const totalLimit = 10_000;

/** Which page to find. */
export interface TracePageInput {
  readonly limit: number;
  readonly offset: number;
  /** `nextAfter` of another page. */
  readonly after?: string | undefined;
  /** Whether to read the captured text. A list of summaries needs none. */
  readonly withText?: boolean;
}

/** How many traces match. */
interface Total {
  readonly total: number;
  /** False when there are more, and the count stopped. */
  readonly totalIsExact: boolean;
}

/** A page: where its traces are. */
export interface TracePositions extends Total {
  readonly positions: readonly TraceCursor[];
  /** Where the search stopped; null when it has looked at everything. */
  readonly examinedUntil: Date | null;
  /** Null at the end. */
  readonly nextAfter: string | null;
}

/** A position between pages. The total goes along, so that it is counted once and not for each page. */
interface PageCursor extends TraceCursor, Total {}

/** Where a page is. */
export interface PagePlace {
  readonly limit: number;
  readonly offset: number;
  readonly cursor: PageCursor | undefined;
}

/** Finds a page. */
export async function findPage(
  tx: Transaction,
  filter: TraceFilter,
  { limit, offset, cursor }: PagePlace,
): Promise<TracePositions> {
  const search = await prepareSearch(tx, filter);
  const counted = cursor ?? (search.walks ? undefined : await countAll(tx, filter, search));
  const isPastEnd = counted?.totalIsExact === true && cursor === undefined && offset >= counted.total;
  const found: SearchResult = isPastEnd
    ? { positions: [], examinedUntil: undefined }
    : await search.page(tx, { limit, offset, after: cursor });
  const isCounted = found.count !== undefined && found.count <= totalLimit;
  const total =
    counted ?? (isCounted ? { total: found.count, totalIsExact: true } : await countAll(tx, filter, search));
  return pageOf(found, { total: total.total, totalIsExact: total.totalIsExact }, limit);
}

/** The page of a search for text. Its total is what was found so far, the pages before this one included. */
export function textPage(walk: Walk, { limit, offset, cursor }: PagePlace): TracePositions {
  const found = pageOfWalk(walk, { limit, offset });
  const { examinedUntil } = found;
  const counted = walk.matches.filter(({ createdAt }) => examinedUntil === undefined || createdAt >= examinedUntil);
  return pageOf(found, { total: (cursor?.total ?? 0) + counted.length, totalIsExact: false }, limit);
}

function pageOf({ positions, examinedUntil }: SearchResult, total: Total, limit: number): TracePositions {
  const last = positions.at(-1);
  const isFull = positions.length === limit && last !== undefined;
  return {
    ...{ positions, ...total, examinedUntil: examinedUntil ?? null },
    nextAfter: isFull ? writeCursor({ ...last, ...total }) : null,
  };
}

async function countAll(tx: Transaction, filter: TraceFilter, search: TraceSearch): Promise<Total> {
  const { projectId, environment, agentKey, outcome, since, until, ...others } = filter;
  const isRolledUp = Object.values(others).every((value) => value === undefined);
  if (isRolledUp && isWholeDay(since) && isWholeDay(until)) {
    const days = { sinceDay: since && dayOf(since), untilDay: until && dayOf(until) };
    const rolledUp = { projectId, environment, agentKey, outcome, ...days };
    return { total: await countByRollups(tx, rolledUp), totalIsExact: true };
  }
  const { count, isComplete } = await search.count(tx, totalLimit + 1);
  return { total: Math.min(count, totalLimit), totalIsExact: isComplete };
}

function isWholeDay(moment: Date | undefined): boolean {
  return moment === undefined || moment.getTime() % dayMs === 0;
}

function writeCursor({ createdAt, id, total, totalIsExact }: PageCursor): string {
  return Buffer.from(JSON.stringify([createdAt.getTime(), id, total, totalIsExact])).toString("base64url");
}

/** The position that a page has told as its `nextAfter`. */
export function parseCursor(text: string): PageCursor {
  try {
    const [at, id, total, totalIsExact, ...rest]: unknown[] = JSON.parse(Buffer.from(text, "base64url").toString());
    const isWhole = isCount(at) && typeof id === "string" && isUuid(id) && isCount(total) && rest.length === 0;
    if (isWhole && typeof totalIsExact === "boolean" && total <= 2 ** 31 - 1) {
      const createdAt = new Date(at);
      if (!Number.isNaN(createdAt.getTime())) return { createdAt, id, total, totalIsExact };
    }
  } catch {
    // Not even JSON: refused like everything else that no page has told.
  }
  throw validationFailed([{ field: "after", message: "expected next_after of another page, unchanged" }]);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
