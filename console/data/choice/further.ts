// Lists that choices are made from: the first entries are all that most organizations have. Of a longer list, those
// beyond are found by what somebody types.

import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { beginningOf } from "../../text/format.ts";
import { useRested } from "../rested.ts";

/** What a text finds in a list that is longer than its first page. */
export interface Further<Each> {
  readonly found: readonly Each[];
  readonly isLoading: boolean;
  readonly onSearch: (text: string) => void;
}

/** The first entries of a list, and the way to the others. */
export interface First<Each> {
  /** Undefined until they are known. */
  readonly first: readonly Each[] | undefined;
  readonly total: number;
  readonly isLoading: boolean;
  /** Undefined while nothing has failed. */
  readonly error: unknown;
  readonly refetch: () => void;
  /** How to find those that are not among the first; undefined when all are. */
  readonly further: Further<Each> | undefined;
}

/** What one call answers at most. */
export const maxFirst = 200;
/** What the server takes as a query. */
const maxQuery = 200;

/** What requests of lists have in common. */
interface ListRequest {
  readonly limit: number;
  readonly query?: string;
}

/** The first entries of what a method lists, and how to find the others. */
export function useFirst<I extends DescMessage, O extends DescMessage, Each>(
  method: DescMethodUnary<I, O>,
  requestOf: (list: ListRequest) => MessageInitShape<I>,
  listOf: (answer: MessageShape<O>) => { readonly entries: readonly Each[]; readonly total: number },
): First<Each> {
  const [text, onSearch] = useState("");
  const rested = useRested(text);
  const query = beginningOf(rested.trim(), maxQuery);
  const { data, isLoading, error, refetch } = useQuery(method, requestOf({ limit: maxFirst }));
  const { entries: first, total = 0 } = data === undefined ? {} : listOf(data);
  const hasFurther = total > maxFirst;
  const asked = useQuery(method, requestOf({ limit: maxFirst, query }), {
    enabled: hasFurther && query !== "",
    placeholderData: keepPreviousData,
  });
  const found = asked.data === undefined ? [] : listOf(asked.data).entries;
  // What was typed last may be yet to be asked for.
  const isFinding = asked.isFetching || text !== rested;
  const further = hasFurther ? { found, isLoading: isFinding, onSearch } : undefined;
  return { first, total, isLoading, error: error ?? undefined, refetch, further };
}

/** The name of an entry by its id; of one beyond the first, and of a deleted one, the beginning of the id. */
export function nameIn(first: readonly { readonly id: string; readonly name: string }[] = []): (id: string) => string {
  return (id) => first.find((each) => each.id === id)?.name ?? id.slice(0, 8);
}

/** The same with other entries in place of what was found. */
export function mapFurther<Each, Other>(
  further: Further<Each> | undefined,
  entriesOf: (found: readonly Each[]) => readonly Other[],
): Further<Other> | undefined {
  return further && { ...further, found: entriesOf(further.found) };
}
