// Somebody with a card who got the address of a local page and nothing else: opens the page and makes the calls that
// its buttons make, with the key behind "#" in the address.

import { request } from "./stage.ts";

/** What may be done in the local portal. */
export type PortalAction = "pay_invoices" | "decline_payments" | "accept_payments" | "skip_ahead";

/** Who pays, or does not. */
export interface Payer {
  checkout(url: string, result: "paid" | "declined"): Promise<void>;
  portal(url: string, action: PortalAction): Promise<void>;
}

/** A payer without a browser. */
export const callingPayer: Payer = {
  checkout: async (url, result) => press(url, "checkout", "confirm", { result }),
  portal: async (url, action) => press(url, "portal", "act", { action }),
};

async function press(url: string, kind: string, verb: string, body: object): Promise<void> {
  const { origin, pathname, hash } = new URL(url);
  const page = await fetch(`${origin}${pathname}`);
  if (page.status !== 200 || !page.headers.get("content-type")?.startsWith("text/html"))
    throw new Error(`the page ${pathname} was answered ${page.status}`);
  const path = `${origin}/v1/billing/${kind}/${pathname.split("/").at(-1)}/${verb}`;
  const answer = await request("POST", path, undefined, { key: hash.slice(1), ...body });
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
}
