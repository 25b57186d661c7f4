// Signing in at the identity provider of an organization. The browser leaves this page and comes back to
// /sign-in/sso with a code in the fragment.

import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { SsoService } from "../../gen/policyguard/control/v1/sso_service_pb.ts";
import { en } from "../text/en.ts";
import { failureOf } from "./failure.ts";
import { ownAddress } from "./search.ts";
import { setSession, transport } from "./transport.ts";

const sso = createClient(SsoService, transport);
const returnTo = "/sign-in/sso";
/** Where the person wanted to go; kept for this tab while it is away. */
const nextKey = "policy-guard.sso-next";
/** In place of that: the person goes on in the tab that opened this one. */
const goOnElsewhere = "elsewhere";

/** Whose provider it is: the one of the address's domain, or the organization's. */
export type SsoOf = { readonly email: string } | { readonly orgId: string };

/** Sends the browser to the provider. */
export async function startSso(of: SsoOf, next: string): Promise<void> {
  const location = await providerOf(of);
  sessionStorage.setItem(nextKey, next);
  globalThis.location.assign(location);
}

/** Sends a new tab to the provider, so that this one keeps what was typed. */
export async function startSsoInNewTab(of: SsoOf): Promise<void> {
  // A new tab begins with a copy of this one's storage. It is opened at once: later, browsers take it for an intruder.
  sessionStorage.setItem(nextKey, goOnElsewhere);
  const tab = open("about:blank");
  sessionStorage.removeItem(nextKey);
  if (tab === null) throw new ConnectError(en.entry.sso.noTab, Code.FailedPrecondition);
  try {
    tab.location.assign(await providerOf(of));
  } catch (error) {
    tab.close();
    throw error;
  }
}

/** Makes the session of a sign-in that the provider has finished. Returns where to go, undefined for another tab. */
export async function finishSso(code: string): Promise<{ readonly next: string | undefined }> {
  setSession(undefined);
  await sso.exchangeSsoCode({ code, asCookie: true });
  const stored = sessionStorage.getItem(nextKey) ?? undefined;
  sessionStorage.removeItem(nextKey);
  return { next: stored === goOnElsewhere ? undefined : ownAddress(stored) };
}

async function providerOf(of: SsoOf): Promise<string> {
  try {
    // Only REST answers with a header; here the address is in the message, beside the cookie of the flow.
    const { location } = await sso.startSso({ ...of, returnTo });
    return location;
  } catch (error) {
    if (failureOf(error).kind !== "gone") throw error;
    throw new ConnectError(en.entry.sso.noProvider, Code.FailedPrecondition);
  }
}
