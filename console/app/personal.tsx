// The pages of a person, outside an organization. They need somebody who is signed in.

import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, Suspense } from "react";
import type { GetMeResponse } from "../../gen/policyguard/control/v1/account_service_pb.ts";
import { failureOf } from "../data/failure.ts";
import { meQuery } from "../data/session.ts";
import { Loading } from "../part/state.tsx";
import { EndedSession, ToSignIn } from "./ended-session.tsx";
import { lazyPage } from "./missing-file.ts";
import { Unreached } from "./unreached.tsx";

const AccountPage = lazyPage(() => import("../page/account/account.tsx"), "AccountPage");
const JoinPage = lazyPage(() => import("../page/entry/join.tsx"), "JoinPage");
const WelcomePage = lazyPage(() => import("../page/entry/welcome.tsx"), "WelcomePage");

/** `/account` */
export function AccountRoute() {
  return <Personal>{(me) => <AccountPage me={me} />}</Personal>;
}

/** `/join/$org` */
export function JoinRoute() {
  const { org } = useParams({ from: "/join/$org" });
  return <Personal>{() => <JoinPage orgId={org} />}</Personal>;
}

/** `/welcome` */
export function WelcomeRoute() {
  return <Personal>{() => <WelcomePage />}</Personal>;
}

function Personal({ children }: { readonly children: (me: GetMeResponse) => ReactNode }) {
  const { data: me, error, refetch } = useQuery(meQuery);
  if (error !== null && me === undefined) {
    if (failureOf(error).kind === "signed_out") return <ToSignIn />;
    return <Unreached error={error} onRetry={refetch} />;
  }
  if (me === undefined) return <Loading />;
  return (
    <>
      <Suspense fallback={<Loading />}>{children(me)}</Suspense>
      <EndedSession email={me.account?.email ?? ""} accountId={me.account?.id ?? ""} />
    </>
  );
}
