// A part of a page whose data could not be loaded may be no more than a name in a list. The page works without it, and
// the frame says that it is missing.

import type { Query } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queryClient } from "../data/client.ts";
import { type FailureKind, failureOf } from "../data/failure.ts";
import { FailureNotice } from "../part/state.tsx";
import { isTold, whenTold } from "../part/told.ts";
import { en } from "../text/en.ts";
import style from "./shell.module.css";

/** A moment in which the page itself gets to tell of a failure. */
const restMs = 100;

/** The session's dialog tells of its end, the banner of the bill, and whether something exists is for the page to say. */
const othersTell: ReadonlySet<FailureKind> = new Set(["signed_out", "session_changed", "billing_blocked", "gone"]);

/** Tells of failed queries of the page that no part of it tells of. */
export function UntoldFailures() {
  const [untold, setUntold] = useState<readonly Untold[]>([]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      // What came after all is told no longer, however much else happens.
      setUntold((known) => {
        const left = known.filter(({ query }) => query.state.status !== "success");
        return left.length === known.length ? known : left;
      });
      clearTimeout(timer);
      timer = setTimeout(() => {
        const found = untoldQueries();
        setUntold((known) => (areSame(known, found) ? known : found));
      }, restMs);
    };
    const ends = [queryClient.getQueryCache().subscribe(look), whenTold(look)];
    look();
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, []);
  const [first] = untold;
  if (first === undefined) return null;
  const again = () => queryClient.refetchQueries({ predicate: (each) => untold.some(({ query }) => query === each) });
  return (
    <div className={style.untold}>
      <FailureNotice lead={en.failure.partial} failure={failureOf(first.error)} onRetry={again} />
    </div>
  );
}

/** A query and its failure, which is another one when it fails again. */
interface Untold {
  readonly query: Query;
  readonly error: unknown;
}

function untoldQueries(): Untold[] {
  const found = queryClient.getQueryCache().findAll({
    type: "active",
    predicate: ({ state: { status, data, error } }) =>
      status === "error" && data === undefined && !isTold(error) && !othersTell.has(failureOf(error).kind),
  });
  return found.map((query) => ({ query, error: query.state.error }));
}

function areSame(a: readonly Untold[], b: readonly Untold[]): boolean {
  return a.length === b.length && a.every(({ query, error }, at) => query === b[at]?.query && error === b[at]?.error);
}
