// Goes along all traces of a search, in steps of bounded work.

import type { Transaction } from "../../store/core/transaction.ts";
import type { TraceCursor, TraceSearch, Walk } from "../../store/telemetry/trace-query.ts";

/** The next traces of a search. A step looks at `maxRows` traces at most, and finds about `limit`. */
export async function nextTraces(
  tx: Transaction,
  search: TraceSearch,
  {
    after,
    limit,
    maxRows,
  }: { readonly after: TraceCursor | undefined; readonly limit: number; readonly maxRows: number },
): Promise<Walk> {
  if (search.walks) return search.walk(tx, { after, wanted: limit, maxRows });
  const { positions } = await search.page(tx, { limit, offset: 0, after });
  return { matches: positions, end: positions.length < limit ? undefined : positions.at(-1) };
}
