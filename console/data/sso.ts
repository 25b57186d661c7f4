// Signing in at the identity provider of an organization. The browser leaves this page and comes back to
// /sign-in/sso with a code in the fragment.

import { createClient } from "@connectrpc/connect";
import { SsoService } from "../../gen/policyguard/control/v1/sso_service_pb.ts";
import { ownAddress } from "./search.ts";
import { setSession, transport } from "./transport.ts";

const sso = createClient(SsoService, transport);
const returnTo = "/sign-in/sso";
/** Where the person wanted to go; kept for this tab while it is away. */
const nextKey = "policy-guard.sso-next";

/** Sends the browser to the provider of the organization that the address belongs to. */
export async function startSso(email: string, next: string): Promise<void> {
  // Only REST answers with a header; here the address is in the message, beside the cookie of the flow.
  const { location } = await sso.startSso({ email, returnTo });
  sessionStorage.setItem(nextKey, next);
  globalThis.location.assign(location);
}

/** Makes the session of a sign-in that the provider has finished. Returns where the person wanted to go. */
export async function finishSso(code: string): Promise<string> {
  setSession(undefined);
  await sso.exchangeSsoCode({ code, asCookie: true });
  const next = ownAddress(sessionStorage.getItem(nextKey) ?? undefined);
  sessionStorage.removeItem(nextKey);
  return next;
}
