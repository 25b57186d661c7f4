// Who is signed in. A page learns its session once, and all later calls name it.

import { createClient } from "@connectrpc/connect";
import { queryOptions } from "@tanstack/react-query";
import type { Membership } from "../../gen/policyguard/control/v1/account_pb.ts";
import { AccountService, type GetMeResponse } from "../../gen/policyguard/control/v1/account_service_pb.ts";
import { queryClient } from "./client.ts";
import { forgetDrafts } from "./draft.ts";
import { meKey } from "./invalidation.ts";
import { setSession, transport } from "./transport.ts";

const accounts = createClient(AccountService, transport);
const otherTabs = new BroadcastChannel("policy-guard");

/** The signed-in person with their organizations. */
export const meQuery = queryOptions({
  queryKey: [meKey],
  queryFn: async (): Promise<GetMeResponse> => {
    const me = await accounts.getMe({});
    setSession(me.sessionId);
    return me;
  },
});

/** Whether the person lacks the second factor that the organization demands: its calls are refused until then. */
export function lacksFactor({ account }: GetMeResponse, { secondFactorRequired }: Membership): boolean {
  return secondFactorRequired && account?.mfaEnabled !== true;
}

/** What a sign-in leads to: a session, or the second step. */
export type SignInStep = { readonly mfaToken: string } | undefined;

/** Tells the other tabs of this browser that somebody has signed in. */
export function tellSignIn(): void {
  otherTabs.postMessage("signed_in");
}

/**
 * Goes on with what is shown under the session that the browser has by now. Returns whether it is this person's: of
 * somebody else's nothing is taken over, and calls of this page stay refused.
 */
export async function goOnAs(accountId: string): Promise<boolean> {
  const setFormer = setSession(undefined);
  const me = await accounts.getMe({}).catch((error: unknown) => {
    setFormer();
    throw error;
  });
  if (me.account?.id !== accountId) {
    setFormer();
    return false;
  }
  setSession(me.sessionId);
  queryClient.setQueryData(meQuery.queryKey, me);
  await queryClient.invalidateQueries();
  return true;
}

/** Whoever goes on when somebody signs in by another tab. */
let onSignIn: (() => void) | undefined;

/** Says whom to tell of a sign-in by another tab. */
export function whenSignedInElsewhere(listener: (() => void) | undefined): void {
  onSignIn = listener;
}

/** Signs in with a password. */
export async function signIn(email: string, password: string): Promise<SignInStep> {
  setSession(undefined);
  const { mfaRequired, mfaToken } = await accounts.login({ email, password, asCookie: true });
  return mfaRequired ? { mfaToken: mfaToken ?? "" } : undefined;
}

/** Finishes a sign-in with a code. */
export async function completeSignIn(mfaToken: string, code: string): Promise<void> {
  await accounts.completeLogin({ mfaToken, code, asCookie: true });
}

/** Ends the session here and in every other tab, and forgets what was loaded and typed. */
export async function signOut(): Promise<void> {
  await accounts.logout({});
  forgetDrafts();
  queryClient.clear();
  otherTabs.postMessage("signed_out");
  leave();
}

/** Leaves this page for the sign-in. Browsers keep a page that was left, as it was, for whoever goes back. */
function leave(): void {
  document.documentElement.hidden = true;
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  location.assign("/sign-in");
}

otherTabs.onmessage = ({ data }: MessageEvent<unknown>) => {
  if (data === "signed_in") onSignIn?.();
  if (data !== "signed_out") return;
  forgetDrafts();
  leave();
};
