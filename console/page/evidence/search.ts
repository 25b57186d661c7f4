// What the log of evidence is filtered by, as its address says it.

import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { commandLine } from "../../data/command-line.ts";
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

const dayMs = 86_400_000;

/** Reads the search parameters; what is no day is dropped. */
export function evidenceSearch(search: Readonly<Record<string, unknown>>): EvidenceSearch {
  const { since, until, ...texts } = textsIn(search, "action", "actor", "resource", "control", "since", "until");
  return {
    ...texts,
    ...(dayOf(since) === undefined ? {} : { since }),
    ...(dayOf(until) === undefined ? {} : { until }),
  } as EvidenceSearch; // the types of the spread say that texts may be undefined
}

/** The filter of a call. */
export function filterOf({ since, until, ...texts }: EvidenceSearch) {
  const times = boundsOf({ since, until });
  return {
    ...texts,
    ...(times.since === undefined ? {} : { since: timestampFromDate(times.since) }),
    ...(times.until === undefined ? {} : { until: timestampFromDate(times.until) }),
  };
}

/** The same for an address of REST, beginning with "&" where there is any. */
export function queryOf({ since, until, ...texts }: EvidenceSearch): string {
  const times = boundsOf({ since, until });
  const given = [
    ...Object.entries(texts),
    ...Object.entries(times).flatMap(([name, time]) => (time === undefined ? [] : [[name, time.toISOString()]])),
  ];
  return given.map(([name, value]) => `&${name}=${encodeURIComponent(value ?? "")}`).join("");
}

/** The command that writes the same entries to a file. */
export function exportCommand({ since, until, ...texts }: EvidenceSearch, format: string): string {
  const times = boundsOf({ since, until });
  return commandLine("policy-guard evidence export", {
    ...texts,
    ...{ since: times.since?.toISOString(), until: times.until?.toISOString() },
    ...{ format, out: `evidence.${format}` },
  });
}

/** From the beginning of the first day to the end of the last. */
function boundsOf({ since, until }: { readonly since?: string | undefined; readonly until?: string | undefined }) {
  const last = dayOf(until);
  return { since: dayOf(since), until: last === undefined ? undefined : new Date(last.getTime() + dayMs) };
}

function dayOf(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? undefined : day;
}
