// Every dialog of the console in each of its states. Dialogs are found by pressing all buttons of all pages; the table
// says which there are by their sources, so that one that is added and not found fails.

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isAssurance, isSampled } from "../../scripts/assurance/sample.ts";
import { browserPath } from "../harness/browser/browser.ts";
import { type ConsoleDriver, startConsole } from "../harness/browser/console-driver.ts";
import { examineDialog, HeldCalls } from "../harness/browser/dialog.ts";
import { type Filled, fillOrganization } from "../harness/browser/filled.ts";
import { places } from "../harness/browser/places.ts";

describe.skipIf(browserPath === undefined)("every dialog, in a browser (needs chromium)", () => {
  let driver: ConsoleDriver;
  let filled: Filled;
  const seen = new Set<string>();

  beforeAll(async () => {
    driver = await startConsole();
    filled = await fillOrganization(driver.plane, driver.world);
  });
  afterEach(async ({ task }) => {
    expect(await driver.end({ name: task.name, hasFailed: task.result?.state === "fail" })).toEqual([]);
  });
  afterAll(() => driver?.stop());

  /** The buttons of a page by what they are called, those of menus after the name of their menu. */
  async function openersOn(page: Page): Promise<readonly string[]> {
    const names = await page.locator("#content button:visible").evaluateAll((buttons) =>
      buttons.flatMap((button) => {
        const name = button.getAttribute("aria-label") ?? button.textContent ?? "";
        if (button.getAttribute("aria-haspopup") !== "menu") return [name.trim()];
        const menu = document.getElementById(button.getAttribute("popovertarget") ?? "");
        return [...(menu?.querySelectorAll("button") ?? [])].map((item) => `${name}\n${item.textContent}`);
      }),
    );
    return [...new Set(names)].filter((name) => name.endsWith("…"));
  }

  /** Presses a button, or chooses from a menu. Returns what gets the focus when a dialog is closed. */
  async function press(page: Page, opener: string): Promise<string> {
    const [name = "", item] = opener.split("\n");
    await page.locator("#content").getByRole("button", { name, exact: true }).first().click();
    if (item !== undefined) await page.getByRole("menuitem", { name: item, exact: true }).first().click();
    return name;
  }

  const routes = Object.keys(places).filter((route) => isSampled(`dialogs of ${route}`, 0.2));
  test.each(routes)("on %s each does what a dialog has to", async (route) => {
    const page = await driver.openAs("owner", driver.at("/"));
    const path = places[route]?.at(filled, driver.world) ?? "/";
    const calls = new HeldCalls();
    await driver.go(page, path);
    await page.waitForLoadState("networkidle");
    await calls.install(page);
    const found: string[] = [];
    for (const opener of await openersOn(page)) {
      const focus = await press(page, opener);
      await page.getByRole("dialog").waitFor();
      const title = await page.getByRole("dialog").getByRole("heading", { level: 2 }).first().innerText();
      seen.add(title);
      for (const flaw of await examineDialog(page, calls, focus)) found.push(`${title}: ${flaw}`);
    }
    expect(found).toEqual([]);
  });
  test.runIf(isAssurance())("tell", () => console.log([...seen].join("\n")));
});
