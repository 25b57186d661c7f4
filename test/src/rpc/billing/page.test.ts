// The local pages in a real browser: what a person with nothing but the address sees and can do, by keyboard and by the
// names that assistive technology reads, and what an organization with a hostile name cannot do to them.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../../../scripts/postgres/port.ts";
import { browserPath, startBrowser } from "../../../harness/browser/browser.ts";
import { type NamedPage, openNamedPage } from "../../../harness/browser/named-page.ts";
import { startTestControlPlane, type TestControlPlane } from "../../../harness/process/control-plane.ts";
import { callBilling } from "../../../harness/vector/billing-step.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>"'>&amp;`;

describe.skipIf(browserPath === undefined)("the local pages", () => {
  let plane: TestControlPlane;
  let browser: Browser;
  let world: World;
  let page: NamedPage;

  beforeAll(async () => {
    browser = await startBrowser();
    plane = await startTestControlPlane({ env: { PORT: String(await freePort()), AUTH_LIMIT_PER_MINUTE: "10000" } });
  });

  afterAll(async () => {
    await browser?.close();
    await plane?.stop();
  });

  beforeEach(async () => {
    world = await createWorld(plane.database);
    page = await openNamedPage(browser);
  });

  const bill = (method: string, request = {}) => callBilling(plane, world, method, request);
  const checkout = async () => String((await bill("CreateCheckout", { plan: "growth" })).url);
  const portal = async () => String((await bill("OpenPortal")).url);
  const keyOf = (url: string) => url.slice(url.indexOf("#") + 1);
  const buy = async () => {
    await page.open(await checkout());
    await page.press("Pay 49.00 USD");
    await page.shows("Thank you");
  };
  const controls = async () =>
    (await page.tree()).filter(({ role }) => ["button", "link", "heading"].includes(role)).map(({ name }) => name);

  it("take a payment, and a declined one changes nothing; the key is sent to nobody but in a body", async () => {
    const url = await checkout();
    await page.open(url);
    await page.shows("250,000 evaluations a month");
    expect(await controls()).toEqual(["Plan Growth", "Pay 49.00 USD", "Pretend that the card is declined"]);
    await page.press("Pretend that the card is declined");
    await page.shows("The payment was declined. Nothing has changed");
    expect((await page.tree()).map(({ role }) => role)).toContain("heading");
    expect(await page.evaluate('document.activeElement.tagName + " " + document.documentElement.lang')).toBe("H1 en");
    expect(await bill("GetSummary")).toMatchObject({ plan: "free" });
    await page.press("Pay 49.00 USD");
    await page.shows("Test has the plan Growth from now on");
    expect(await bill("GetSummary")).toMatchObject({ plan: "growth", status: "active" });
    await page.open(url);
    await page.shows("Already paid");
    expect(page.requests.filter((asked) => asked.includes(keyOf(url)))).toEqual([]);
    expect(page.requests.filter((asked) => !asked.startsWith(plane.baseUrl) && !asked.startsWith("data:"))).toEqual([]);
    expect(page.troubles).toEqual([]);
  });

  it("show how the subscription stands, and settle what is owed", async () => {
    await buy();
    await page.open(await portal());
    await page.shows("Everything is paid.");
    await page.press("Pretend that the next payments are declined");
    await page.shows("Let the next payments succeed again");
    await page.press("Skip to the end of the period");
    await page.shows("a payment is missing");
    await page.press("Skip to the end of the grace time");
    await page.shows("blocked");
    expect(await bill("GetSummary")).toMatchObject({ status: "blocked" });
    const names = await page.tree();
    expect(names.filter(({ role }) => role === "columnheader").map(({ name }) => name)).toEqual([
      "Invoice",
      "Issued",
      "State",
      "Amount",
    ]);
    await page.press("Pay 49.00 USD");
    await page.shows("Everything is paid.");
    expect(await bill("GetSummary")).toMatchObject({ status: "active" });
    await page.press(/^PG-\d{4}-000001$/);
    await page.shows("no money was taken");
    expect(page.troubles).toEqual([]);
  });

  it("show a hostile name as text, on each of them", async () => {
    await plane.database.systemTransaction(world.orgId, (tx) =>
      tx.sql("update organization set name = ? where id = ?", [hostile, world.orgId]),
    );
    await page.open(await checkout());
    await page.shows(`for ${hostile}`);
    await buy();
    await page.shows(`${hostile} has the plan Growth`);
    await page.open(await portal());
    await page.shows(`Billing of ${hostile}`);
    const { invoices } = await bill("ListInvoices");
    await page.open(Object((invoices as readonly unknown[])[0]).hosted_url);
    await page.shows(hostile);
    expect(await page.evaluate('document.querySelectorAll("img, script").length')).toBe(0);
    // Its style is in force: the policy allows it by its digest.
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    expect([page.troubles, page.requests.filter((asked) => asked.endsWith("/x"))]).toEqual([[], []]);
  });

  it("end with the fifth wrong key, also for whoever has the right one", async () => {
    const url = await checkout();
    for (let i = 0; i < 5; i++) {
      await page.open(`${url.slice(0, url.indexOf("#"))}#wrong-${i}`);
      await page.shows("This does not work");
    }
    await page.open(url);
    await page.shows("This does not work");
    expect((await page.tree()).filter(({ role }) => role === "button")).toEqual([]);
    expect(await bill("GetSummary")).toMatchObject({ plan: "free" });
  });

  it("say so where scripts are switched off", async () => {
    await page.withoutScripts();
    await page.open(await checkout());
    await page.shows("This page needs JavaScript.");
  });

  it("lead back to where they were opened from, and only within this installation", async () => {
    const back = `${plane.baseUrl}/docs`;
    await page.open(String((await bill("CreateCheckout", { plan: "growth", cancel_url: back })).url));
    await page.shows("Back without paying");
    expect(await controls()).toContain("Back without paying");
    await buy();
    await page.open(String((await bill("OpenPortal", { return_url: back })).url));
    await page.shows("Everything is paid.");
    expect(await page.evaluate('document.querySelector("a.button").href')).toBe(back);
  });
});
