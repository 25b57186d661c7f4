import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { failureOf } from "../data/failure.ts";
import { lacksFactor, meQuery } from "../data/session.ts";
import { Loading } from "../part/state.tsx";
import { Unreached } from "./unreached.tsx";

/** Leads from "/" to the first organization that lets the person in, or to the sign-in. */
export function FirstOrganization() {
  const me = useQuery(meQuery);
  if (me.error !== null) {
    if (failureOf(me.error).kind === "signed_out") return <Navigate to="/sign-in" replace />;
    return <Unreached error={me.error} onRetry={me.refetch} />;
  }
  if (me.data === undefined) return <Loading />;
  const { data } = me;
  const first = data.organizations.find((each) => !lacksFactor(data, each)) ?? data.organizations[0];
  if (first === undefined) return <Navigate to="/welcome" replace />;
  return <Navigate to="/o/$org" params={{ org: first.orgId }} replace />;
}
