import { useState } from "react";
import { beginningOf } from "../text/format.ts";
import { useRested } from "./rested.ts";

/** What a text finds in a list that is longer than its first page. */
export interface Further<Each> {
  readonly found: readonly Each[];
  readonly isLoading: boolean;
  readonly onSearch: (text: string) => void;
}

/** What the server takes as a query. */
const maxQuery = 200;

/** What is searched for, once nobody types any more. */
export function useSearched(): {
  readonly query: string;
  /** Whether what was typed last is yet to be asked for. */
  readonly isResting: boolean;
  readonly onSearch: (text: string) => void;
} {
  const [text, onSearch] = useState("");
  const rested = useRested(text);
  return { query: beginningOf(rested.trim(), maxQuery), isResting: text !== rested, onSearch };
}

/** The same with other entries in place of what was found. */
export function mapFurther<Each, Other>(
  further: Further<Each> | undefined,
  entriesOf: (found: readonly Each[]) => readonly Other[],
): Further<Other> | undefined {
  return further && { ...further, found: entriesOf(further.found) };
}
