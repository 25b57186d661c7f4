// A tab that a test drives by what assistive technology reads of it, by keyboard alone, and that notes all that
// happened in it.

import type { Browser } from "playwright-core";
import { eventually } from "../eventually.ts";

/** What assistive technology finds on a page. */
export interface Named {
  readonly role: string;
  readonly name: string;
}

/** Such a tab. */
export interface NamedPage {
  /** Addresses that were asked for, in their order; none has its part after "#". */
  readonly requests: readonly string[];
  /** Uncaught errors, refusals by the page's policy, dialogs. */
  readonly troubles: readonly string[];
  open(url: string): Promise<void>;
  /** Switches scripts off, for the pages that are opened from now on. */
  withoutScripts(): Promise<void>;
  /** Everything with a role and a name. */
  tree(): Promise<Named[]>;
  /** Waits for the button or link of this name, goes to it and presses Enter. */
  press(name: string | RegExp): Promise<void>;
  /** Waits until the page shows this. Returns all of its text. */
  shows(text: string | RegExp): Promise<string>;
  /** The value of an expression. */
  evaluate(expression: string): Promise<unknown>;
}

/** Longer than anything takes on a busy machine. */
const patienceMs = 60_000;

/** Opens a tab of its own, with no cookies and no storage. */
export async function openNamedPage(browser: Browser): Promise<NamedPage> {
  const page = await browser.newPage();
  page.setDefaultTimeout(patienceMs);
  const requests: string[] = [];
  const troubles: string[] = [];
  page.on("request", (request) => void requests.push(request.url()));
  page.on("pageerror", (error) => void troubles.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("dialog", (dialog) => {
    troubles.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const session = await page.context().newCDPSession(page);
  const body = page.locator("body");
  return {
    requests,
    troubles,
    evaluate: (expression) => page.evaluate(expression),
    async open(url) {
      // The same page with another key is another page, not a jump within it.
      await page.goto("about:blank");
      await page.goto(url);
    },
    withoutScripts: async () => void (await session.send("Emulation.setScriptExecutionDisabled", { value: true })),
    tree: async () =>
      (await session.send("Accessibility.getFullAXTree")).nodes
        .filter(({ ignored, name }) => !ignored && (name?.value ?? "") !== "")
        .map(({ role, name }) => ({ role: role?.value ?? "", name: name?.value ?? "" })),
    async press(name) {
      const exact = { name, exact: typeof name === "string" };
      await page.getByRole("button", exact).or(page.getByRole("link", exact)).first().press("Enter");
    },
    shows: (text) =>
      eventually(async () => {
        const shown = await body.innerText();
        if (!(typeof text === "string" ? shown.includes(text) : text.test(shown)))
          throw new Error(`the page does not show ${text}: ${shown}`);
        return shown;
      }),
  };
}
