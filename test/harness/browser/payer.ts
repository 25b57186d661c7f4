// Somebody with a card who presses the buttons of the local pages.

import type { Payer, PortalAction } from "../../../scripts/demo/payer.ts";
import { eventually } from "../eventually.ts";
import type { NamedPage } from "./named-page.ts";

const buttons: Readonly<Record<PortalAction, string | RegExp>> = {
  pay_invoices: /^Pay \d/,
  decline_payments: "Pretend that the next payments are declined",
  accept_payments: "Let the next payments succeed again",
  skip_ahead: /^Skip to the end of the /,
};

/** A payer with a browser. */
export function browsingPayer(page: NamedPage): Payer {
  return {
    async checkout(url, result) {
      await page.open(url);
      await page.press(result === "paid" ? /^Pay \d/ : "Pretend that the card is declined");
      await page.shows(result === "paid" ? "Thank you" : "The payment was declined. Nothing has changed");
    },
    async portal(url, action) {
      await page.open(url);
      const before = acts(page);
      await page.press(buttons[action]);
      await eventually(async () => {
        const isBusy = await page.evaluate('document.querySelector("button:disabled") !== null');
        if (acts(page) === before || isBusy) throw new Error(`${action} is not answered yet`);
      });
    },
  };
}

function acts({ requests }: NamedPage): number {
  return requests.filter((url) => url.endsWith("/act")).length;
}
