// Pages of lists by index (RFC 7644, section 3.4.2.4).

import type { JsonObject } from "@bufbuild/protobuf";
import { listUrn } from "./schema.ts";

const defaultCount = 50;
/** Entries of one page. */
export const maxCount = 200;

/** A list that is asked for. */
export interface ListInput {
  readonly filter?: string | undefined;
  readonly startIndex?: number | undefined;
  readonly count?: number | undefined;
}

/** Where a page begins, from 0, and how many entries it has at most. What is out of range is moved into it. */
export function pageOf({ startIndex = 1, count = defaultCount }: ListInput) {
  return { offset: Math.max(1, startIndex) - 1, limit: Math.min(maxCount, Math.max(0, count)) };
}

/** The answer with one page. */
export function listAnswer(resources: readonly JsonObject[], total: number, offset: number): JsonObject {
  return {
    schemas: [listUrn],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: [...resources],
  };
}
