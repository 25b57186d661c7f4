// The queue of traces to annotate, as annotators see it.

import { notFound, validationFailed } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import type { Database } from "../../../store/connection/database.ts";
import {
  type AnnotationQueueRow,
  leaseQueue,
  listQueue,
  type QueueFilter,
  skipInQueue,
} from "../../../store/measure/annotation/annotation-queue.ts";
import { requireLatencies } from "../../telemetry/trace.ts";
import { annotatorKey, annotatorOf } from "./annotator.ts";

/** How long an annotator has a trace to themselves. */
export const leaseMs = 15 * 60_000;

/** Lists, leases and skips what is in the queue. */
export class AnnotationQueue {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of what the caller could annotate, what they hold first. */
  list(
    caller: Caller,
    annotator: string | undefined,
    filter: QueueFilter,
    page: Page,
  ): Promise<[AnnotationQueueRow[], number]> {
    const key = annotatorKey(annotatorOf(caller, annotator));
    if (!canMatch(filter)) return Promise.resolve([[], 0]);
    return this.#database.read(caller.orgId, (tx) => listQueue(tx, key, filter, page));
  }

  /** Leases up to `limit` traces to the caller; those that they hold are leased anew. */
  lease(
    caller: Caller,
    annotator: string | undefined,
    filter: QueueFilter,
    limit: number,
  ): Promise<AnnotationQueueRow[]> {
    const key = annotatorKey(annotatorOf(caller, annotator));
    if (!canMatch(filter)) return Promise.resolve([]);
    return this.#database.systemTransaction(caller.orgId, (tx) =>
      leaseQueue(tx, key, filter, { limit, until: new Date(tx.now.getTime() + leaseMs) }),
    );
  }

  /** Takes a trace out of the caller's queue; others still find it in theirs. */
  skip(caller: Caller, annotator: string | undefined, traceId: string): Promise<void> {
    const key = annotatorKey(annotatorOf(caller, annotator));
    return this.#database.systemTransaction(caller.orgId, async (tx) => {
      if (!(await skipInQueue(tx, key, traceId))) throw notFound("trace in the queue");
    });
  }
}

/** Whether a trace can match. */
function canMatch(filter: QueueFilter): boolean {
  const { since, until } = filter;
  if (since !== undefined && until !== undefined && since > until)
    throw validationFailed([{ field: "since", message: "must not be after until" }]);
  requireLatencies(filter, "min_latency_us");
  // PostgreSQL has no text with NUL in it, so no trace has either.
  return !Object.values(filter).some((value) => typeof value === "string" && value.includes("\0"));
}
