// An unpaid bill closes an organization, all but what leads to paying it. Each part of a page that is refused by it says
// so in a few words; the banner says it once, with the way on, until the bill is settled.

import { useQuery } from "@connectrpc/connect-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { OrganizationService } from "../../gen/policyguard/control/v1/organization_service_pb.ts";
import { queryClient } from "../data/client.ts";
import { useOrganization } from "../data/organization.ts";
import { whenUnpaid } from "../data/transport.ts";
import { en } from "../text/en.ts";
import style from "./shell.module.css";

const texts = en.failure;
/** How often it is asked whether the bill is settled. */
const askMs = 5_000;

/** Appears when a call was refused because of an unpaid bill. Once that is settled, the page loads what it lacks. */
export function UnpaidBanner() {
  const { orgId, allows } = useOrganization();
  const { pathname } = useLocation();
  const [refusedMs, setRefused] = useState<number>();
  useEffect(() => {
    whenUnpaid(() => setRefused(Date.now()));
    return () => whenUnpaid(undefined);
  }, []);
  const isRefused = refusedMs !== undefined;
  const { data, dataUpdatedAt } = useQuery(
    OrganizationService.method.getOrganization,
    { orgId },
    { enabled: isRefused, staleTime: 0, refetchInterval: isRefused && askMs },
  );
  // What was answered before the refusal does not speak of it.
  const isSettled = isRefused && dataUpdatedAt > refusedMs && data?.organization?.billingBlocked === false;
  useEffect(() => {
    if (!isSettled) return;
    setRefused(undefined);
    void queryClient.invalidateQueries();
  }, [isSettled]);
  // The page of billing says by itself how the subscription stands.
  if (!isRefused || isSettled || pathname === `/o/${orgId}/settings/billing`) return null;
  return (
    <div role="alert" className={style.unpaid}>
      <strong>{texts.unpaid}</strong>
      <span>{texts.unpaidText}</span>
      {allows("BillingService/GetSummary") ? (
        <Link to="/o/$org/settings/billing" params={{ org: orgId }}>
          {texts.settle}
        </Link>
      ) : (
        <span>{texts.settleAsk}</span>
      )}
    </div>
  );
}
