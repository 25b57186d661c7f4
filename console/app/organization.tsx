// Everything below `/o/$org`: who is signed in, what they may do here, and the frame around the page.

import { useQuery as useRpc } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { TeamService } from "../../gen/policyguard/control/v1/team_service_pb.ts";
import { failureOf } from "../data/failure.ts";
import { OrganizationContext, permissionsOf } from "../data/organization.ts";
import { lacksFactor, meQuery } from "../data/session.ts";
import { Loading, Reader } from "../part/state.tsx";
import { Allowed } from "./allowed.tsx";
import { EndedSession, ToSignIn } from "./ended-session.tsx";
import { FactorDemanded, useNewDemands } from "./factor-demanded.tsx";
import { KnownAddress } from "./known-address.tsx";
import { NotFound } from "./not-found.tsx";
import { ProviderOnly } from "./provider-only.tsx";
import { Shell } from "./shell.tsx";
import { Unreached } from "./unreached.tsx";

/** The frame of an organization's pages. */
export function OrganizationLayout() {
  const { org } = useParams({ from: "/o/$org" });
  const me = useQuery(meQuery);
  const membership = me.data?.organizations.find(({ orgId }) => orgId === org);
  const isShut = me.data !== undefined && membership !== undefined && lacksFactor(me.data, membership);
  const isReached = me.data !== undefined && !isShut;
  const permissions = useRpc(TeamService.method.getPermissions, { orgId: org }, { enabled: isReached });
  useNewDemands(me.refetch);
  const organization = useMemo(
    () =>
      membership &&
      permissions.data && {
        orgId: org,
        name: membership.orgName,
        accountId: me.data?.account?.id ?? "",
        role: permissions.data.role ?? "",
        ...permissionsOf(permissions.data.methods),
      },
    [org, membership, permissions.data, me.data],
  );
  if (me.error !== null && me.data === undefined) {
    if (failureOf(me.error).kind === "signed_out") return <ToSignIn />;
    return <Unreached error={me.error} onRetry={me.refetch} />;
  }
  if (me.data === undefined) return <Loading />;
  if (membership === undefined) return <NotFound />;
  if (isShut) return <FactorDemanded me={me.data} organization={membership.orgName} />;
  if (permissions.error !== null && failureOf(permissions.error).code === "sso_required")
    return <ProviderOnly orgId={org} />;
  // What is typed stays on the page when the permissions cannot be loaded anew.
  if (permissions.error !== null && permissions.data === undefined)
    return <Unreached error={permissions.error} onRetry={permissions.refetch} />;
  if (organization === undefined) return <Loading />;
  return (
    <OrganizationContext value={organization}>
      <Reader
        value={{ role: organization.role, billing: organization.allows("BillingService/GetSummary") ? org : undefined }}
      >
        <Shell me={me.data}>
          <Allowed>
            <KnownAddress>
              <Outlet />
            </KnownAddress>
          </Allowed>
        </Shell>
        <EndedSession email={me.data.account?.email ?? ""} accountId={organization.accountId} />
      </Reader>
    </OrganizationContext>
  );
}
