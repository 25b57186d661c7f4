// Every dialog of the console in each of its states. They are found by pressing every button that promises a dialog; the
// table says where, so that a dialog that is added and not found fails. Those that come after something else have ways.

import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isAssurance, reportSample } from "../../scripts/assurance/sample.ts";
import { freePort } from "../../scripts/postgres/port.ts";
import { browserPath } from "../harness/browser/browser.ts";
import { type ConsoleDriver, startConsole } from "../harness/browser/console-driver.ts";
import { examineDialog, examineShownOnce, HeldCalls } from "../harness/browser/dialog.ts";
import { type DialogSource, dialogSources } from "../harness/browser/dialog-source.ts";
import { dialogWays } from "../harness/browser/dialog-way.ts";
import { type Filled, fillOrganization } from "../harness/browser/filled.ts";
import { places } from "../harness/browser/places.ts";
import { eventually } from "../harness/eventually.ts";

/** The route that shows the dialogs of a source. */
const homes: Readonly<Record<string, string>> = {
  "page/agent/list.tsx": "/agents",
  "page/alert/rule.tsx": "/alerts/$rule",
  "page/benchmark/benchmark.tsx": "/benchmarks/$run",
  "page/benchmark/create.tsx": "/benchmarks",
  "page/calibration/calibration.tsx": "/calibrations/$run",
  "page/calibration/create.tsx": "/calibrations",
  "page/dataset/dataset.tsx": "/datasets/$dataset",
  "page/dataset/install.tsx": "/datasets",
  "page/dataset/list.tsx": "/datasets",
  "page/dataset/sample-form.tsx": "/datasets/$dataset",
  "page/dataset/samples.tsx": "/datasets/$dataset",
  "page/detector/backends.tsx": "/detectors",
  "page/environment/activate.tsx": "/environments/$project/$env/$version",
  "page/environment/create.tsx": "/environments",
  "page/environment/gate/edit.tsx": "/environments/$project/$env/settings",
  "page/environment/gate/list.tsx": "/environments/$project/$env/settings",
  "page/environment/order.tsx": "/environments/$project/$env/settings",
  "page/environment/publish.tsx": "/environments",
  "page/fleet/forget.tsx": "/fleet",
  "page/identity/domains.tsx": "/settings/sso",
  "page/identity/scim.tsx": "/settings/scim",
  "page/language/deeds.tsx": "/languages/$language",
  "page/list/create.tsx": "/lists",
  "page/list/edit.tsx": "/lists/$list",
  "page/policy/delete.tsx": "/policies/$policy",
  "page/replay/create.tsx": "/replays",
  "page/replay/replay.tsx": "/replays/$run",
  "page/settings/factor-demand.tsx": "/settings",
  "page/settings/issue-token.tsx": "/settings/tokens",
  "page/settings/organization.tsx": "/settings",
  "page/settings/projects.tsx": "/settings",
  "page/settings/rotate-token.tsx": "/settings/tokens",
  "page/settings/signing-keys.tsx": "/settings/keys",
  "page/settings/tokens.tsx": "/settings/tokens",
  "page/team/invite.tsx": "/settings/team",
  "page/team/member-dialog.tsx": "/settings/team",
  "page/team/requests.tsx": "/settings/team",
  "page/trace/export.tsx": "/traces",
  "page/trace/to-dataset.tsx": "/traces",
  "page/webhook/create.tsx": "/settings/webhooks",
  "page/webhook/deliveries.tsx": "/settings/webhooks/$webhook",
  "page/webhook/edit.tsx": "/settings/webhooks/$webhook",
  "page/webhook/webhook.tsx": "/settings/webhooks/$webhook",
};

const sources = dialogSources();

test("every dialog has a page on which it is tried", () => {
  const untold = sources.filter(({ key, file }) => homes[file] === undefined && dialogWays[key] === undefined);
  expect(untold.map(({ key }) => key)).toEqual([]);
  const gone = [...Object.keys(homes), ...Object.keys(dialogWays)].filter(
    (told) => !sources.some(({ key, file }) => told === file || told === key),
  );
  expect(gone).toEqual([]);
  expect(Object.values(homes).filter((route) => places[route] === undefined)).toEqual([]);
});

describe.skipIf(browserPath === undefined || !isAssurance())(
  "every dialog, in a browser (assurance, needs chromium)",
  () => {
    let driver: ConsoleDriver;
    let filled: Filled;
    const tried = { routes: 0, failed: 0, dialogs: 0 };

    beforeAll(async () => {
      // Pages of payment lead to the address of the configuration, so it has to be the one that is listened on.
      driver = await startConsole({ PORT: String(await freePort()) });
      filled = await fillOrganization(driver.plane, driver.world);
      // Others than the owner, whose role no dialog changes.
      for (const role of ["administrator", "editor", "viewer"] as const) await driver.world.person(role);
    });
    afterEach(async ({ task }) => {
      if (task.result?.state === "fail") tried.failed += 1;
      expect(await driver.end({ name: task.name, hasFailed: task.result?.state === "fail" })).toEqual([]);
    });
    afterAll(async () => {
      await driver?.stop();
      reportSample({ n: tried.routes, failures: tried.failed, figures: { dialogs: tried.dialogs } });
    });

    /** The buttons of a page that promise a dialog, by their names, those of menus after the name of their menu. */
    async function openersOn(page: Page): Promise<readonly string[]> {
      const names = await page.locator("#content button:visible:enabled").evaluateAll((buttons) =>
        buttons.flatMap((button) => {
          const text = button.textContent.trim();
          const name = button.getAttribute("aria-label") ?? text;
          // One that opens the browser's own choice of a file stands before its field.
          if (button.nextElementSibling?.matches("input[type=file]")) return [];
          if (button.getAttribute("aria-haspopup") !== "menu") return text.endsWith("…") ? [name] : [];
          const menu = document.getElementById(button.getAttribute("popovertarget") ?? "");
          const items = [...(menu?.querySelectorAll("button") ?? [])].map((item) => item.textContent);
          return items.filter((item) => item.endsWith("…")).map((item) => `${name}\n${item}`);
        }),
      );
      return [...new Set(names)];
    }

    /** Presses a button, or chooses from a menu. Returns what gets the focus when a dialog is closed. */
    async function press(page: Page, opener: string): Promise<Locator> {
      const [name = "", item] = opener.split("\n");
      const button = page.locator("#content").getByRole("button", { name, exact: true }).first();
      await button.click();
      if (item !== undefined) await page.getByRole("menuitem", { name: item, exact: true }).first().click();
      return button;
    }

    const isSeen = ({ title }: DialogSource, titles: readonly string[]) =>
      titles.some((each) => (title === undefined ? titles.length > 0 : title.test(each)));

    const routes = Object.keys(places);
    test.each(routes)("on %s each does what a dialog has to", async (route) => {
      tried.routes += 1;
      const page = await driver.openAs("owner", driver.at("/"));
      const calls = new HeldCalls();
      await driver.go(page, places[route]?.at(filled, driver.world) ?? "/");
      await driver.loaded(page);
      await calls.install(page);
      const found: string[] = [];
      const titles: string[] = [];
      for (const opener of await openersOn(page)) {
        const focus = await press(page, opener);
        await page.getByRole("dialog").waitFor();
        const title = await page.getByRole("dialog").getByRole("heading", { level: 2 }).first().innerText();
        titles.push(title);
        tried.dialogs += 1;
        for (const flaw of await examineDialog(page, calls, focus)) found.push(`${title}: ${flaw}`);
      }
      for (const source of sources.filter(({ file }) => homes[file] === route)) {
        const hasWay = dialogWays[source.key] !== undefined;
        if (!hasWay && !isSeen(source, titles)) found.push(`${source.key} was not found among ${titles.join(", ")}`);
        if (hasWay && isSeen(source, titles)) found.push(`${source.key} was found, and has a way of its own`);
      }
      expect(found).toEqual([]);
    });

    test.each(Object.entries(dialogWays))("%s does what a dialog has to", async (key, way) => {
      tried.routes += 1;
      const page = await driver.openAs(way.as ?? "owner", driver.at("/"));
      if (way.at === "account") await page.goto(`${driver.plane.baseUrl}/account`);
      else await driver.go(page, way.at(filled, driver.world));
      await driver.loaded(page);
      const opener = await way.go(page, driver);
      const source = sources.find((each) => each.key === key);
      const heading = page.getByRole("dialog").getByRole("heading", { level: 2 });
      await eventually(async () => {
        expect(source !== undefined && isSeen(source, [await heading.innerText()])).toBe(true);
      });
      const calls = new HeldCalls();
      await calls.install(page);
      tried.dialogs += 1;
      expect(await (way.showsOnce ? examineShownOnce(page, opener) : examineDialog(page, calls, opener))).toEqual([]);
    });
  },
);
