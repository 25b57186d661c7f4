// An organization that demands a second factor, for a person without one: its pages have nothing to show, and the way in
// is the person's own account.

import type { QueryCacheNotifyEvent } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { GetMeResponse } from "../../gen/policyguard/control/v1/account_service_pb.ts";
import { queryClient } from "../data/client.ts";
import { failureOf } from "../data/failure.ts";
import { lacksFactor } from "../data/session.ts";
import { EntryCard } from "../page/entry/card.tsx";
import { en } from "../text/en.ts";

const texts = en.factorDemanded;

/** Says what the organization demands, and leads to it. */
export function FactorDemanded({ me, organization }: { readonly me: GetMeResponse; readonly organization: string }) {
  const others = me.organizations.filter((each) => !lacksFactor(me, each));
  const links = others.map(({ orgId, orgName }) => (
    <Link key={orgId} to="/o/$org" params={{ org: orgId }}>
      {orgName}
    </Link>
  ));
  return (
    <EntryCard title={texts.title(organization)} {...(others.length > 0 && { links })}>
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
