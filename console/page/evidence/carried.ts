// The filters of the log of evidence as calls and commands have them: apart from what reads the address, which is loaded
// before the first page.

import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { commandLine } from "../../data/command-line.ts";
import { dayOf, type EvidenceSearch } from "./search.ts";

const dayMs = 86_400_000;

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
