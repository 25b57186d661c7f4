// Everything below `/o/$org`: who is signed in, what they may do here, and the frame around the page.

import { useQuery as useRpc } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { TeamService } from "../../gen/policyguard/control/v1/team_service_pb.ts";
import { failureOf } from "../data/failure.ts";
import { OrganizationContext, permissionsOf } from "../data/organization.ts";
import { meQuery } from "../data/session.ts";
import { whenSessionEnds } from "../data/transport.ts";
import { Empty, Failed, Loading } from "../part/state.tsx";
import { en } from "../text/en.ts";
import { SessionDialog } from "./session-dialog.tsx";
import { Shell } from "./shell.tsx";

/** The frame of an organization's pages. */
export function OrganizationLayout() {
  const { org } = useParams({ from: "/o/$org" });
  const me = useQuery(meQuery);
  const permissions = useRpc(TeamService.method.getPermissions, { orgId: org }, { enabled: me.data !== undefined });
  const membership = me.data?.organizations.find(({ orgId }) => orgId === org);
  const organization = useMemo(
    () =>
      membership &&
      permissions.data && {
        orgId: org,
        name: membership.orgName,
        accountId: me.data?.account?.id ?? "",
        role: permissions.data.role ?? "",
        can: permissionsOf(permissions.data.methods),
      },
    [org, membership, permissions.data, me.data],
  );
  if (me.error !== null && me.data === undefined) {
    if (failureOf(me.error).kind === "signed_out") return <ToSignIn />;
    return <Failed error={me.error} onRetry={() => me.refetch()} />;
  }
  if (me.data === undefined) return <Loading />;
  if (membership === undefined) return <Empty title={en.failure.gone} />;
  if (permissions.error !== null) return <Failed error={permissions.error} onRetry={() => permissions.refetch()} />;
  if (organization === undefined) return <Loading />;
  return (
    <OrganizationContext value={organization}>
      <Shell me={me.data}>
        <Outlet />
      </Shell>
      <EndedSession email={me.data.account?.email ?? ""} accountId={organization.accountId} />
    </OrganizationContext>
  );
}

/** Leads to the sign-in, and from there back to the address that the person came with. */
function ToSignIn() {
  const [next] = useState(() => location.pathname + location.search);
  const navigate = useNavigate();
  useEffect(() => {
    navigate({ to: "/sign-in", search: { next }, replace: true });
  }, [navigate, next]);
  return <Loading />;
}

/** Asks for the password again when a call found no session; the page stays as it is behind the dialog. */
function EndedSession({ email, accountId }: { readonly email: string; readonly accountId: string }) {
  const [hasEnded, setEnded] = useState(false);
  useEffect(() => {
    whenSessionEnds(() => setEnded(true));
    return () => whenSessionEnds(undefined);
  }, []);
  return hasEnded && <SessionDialog email={email} accountId={accountId} onSignedIn={() => setEnded(false)} />;
}
