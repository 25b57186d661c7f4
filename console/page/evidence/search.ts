// What the log of evidence is filtered by, as its address says it.

import { textsIn } from "../../data/search.ts";

/** The filters. Absent ones are left out of the address; times are days in UTC, both included. */
export interface EvidenceSearch {
  readonly action?: string;
  readonly actor?: string;
  readonly resource?: string;
  readonly control?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Reads the search parameters; what is no day is dropped. */
export function evidenceSearch(search: Readonly<Record<string, unknown>>): EvidenceSearch {
  const { since, until, ...texts } = textsIn(search, "action", "actor", "resource", "control", "since", "until");
  return {
    ...texts,
    ...(dayOf(since) === undefined ? {} : { since }),
    ...(dayOf(until) === undefined ? {} : { until }),
  } as EvidenceSearch; // the types of the spread say that texts may be undefined
}

/** The day of a text in UTC; undefined for one that is none. */
export function dayOf(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? undefined : day;
}
