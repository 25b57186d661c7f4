// An organization that demands a second factor, for a person without one: its pages have nothing to show, and the way in
// is the person's own account.

import type { QueryCacheNotifyEvent } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { queryClient } from "../data/client.ts";
import { failureOf } from "../data/failure.ts";
import { EntryCard } from "../page/entry/card.tsx";
import { en } from "../text/en.ts";

const texts = en.factorDemanded;

/** Says what the organization demands, and leads to it. */
export function FactorDemanded({ organization }: { readonly organization: string }) {
  return (
    <EntryCard title={texts.title(organization)} links={<Link to="/">{en.nav.home}</Link>}>
      <p>{texts.text}</p>
      <p>
        <Link to="/account">{texts.setUp}</Link>
      </p>
    </EntryCard>
  );
}

/** Calls `onDemand` when a query is refused because the organization has begun to demand a second factor. */
export function useNewDemands(onDemand: () => unknown): void {
  useEffect(() => queryClient.getQueryCache().subscribe((event) => void (isDemand(event) && onDemand())), [onDemand]);
}

function isDemand(event: QueryCacheNotifyEvent): boolean {
  return (
    event.type === "updated" &&
    event.action.type === "error" &&
    failureOf(event.action.error).code === "second_factor_required"
  );
}
