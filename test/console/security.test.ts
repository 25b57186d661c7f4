// What somebody hostile tries: texts that would be markup, a page of another origin, an address that leads elsewhere;
// and what a session that ends or changes in the middle of work may not lose.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { navigationPages } from "../../console/app/pages.ts";
import { browserPath } from "../harness/browser/browser.ts";
import { type ConsoleDriver, startConsole } from "../harness/browser/console-driver.ts";
import { reportTrace } from "../harness/process/report-trace.ts";
import { everybodysPassword } from "../harness/vector/person.ts";
import { setPlan } from "../harness/vector/plan.ts";

const hostile = `<img src=x onerror="document.title='taken'">`;

describe.skipIf(browserPath === undefined)("the console among the hostile (needs chromium)", () => {
  let driver: ConsoleDriver;
  let evil: Server;
  let evilUrl: string;

  beforeAll(async () => {
    driver = await startConsole();
    evil = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Evil</title><p>evil");
    });
    evil.listen(0, "127.0.0.1").unref();
    await once(evil, "listening");
    // Another port is another origin of the same site, to which browsers do send cookies that are SameSite=Strict.
    evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`; // listens on TCP
  });
  afterEach(async ({ task }) => {
    expect(await driver.end({ name: task.name, hasFailed: task.result?.state === "fail" })).toEqual([]);
  });
  afterAll(async () => {
    await driver?.stop();
    evil?.closeAllConnections();
    evil?.close();
  });

  async function call(path: string, body: unknown): Promise<{ readonly id: string }> {
    const { orgId, tokens } = driver.world;
    const answer = await fetch(`${driver.plane.baseUrl}/v1/orgs/${orgId}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${tokens.admin}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.clone().text()).toBeLessThan(300);
    return (await answer.json()) as { readonly id: string };
  }

  /** Gives a hostile text to every field that takes one. Returns the pages of single things that show it. */
  async function plant(): Promise<readonly string[]> {
    const { plane, world } = driver;
    await setPlan(plane.database, world.orgId, "growth");
    const document = {
      apiVersion: "policyguard/v1",
      kind: "Policy",
      metadata: { name: "hostile", description: hostile },
      rules: [{ id: "attack", stages: ["input"], detect: "injection", action: "BLOCK", message: hostile }],
      tests: [{ name: hostile, text: hostile, expect: { outcome: "ALLOW" } }],
    };
    const { id: policy } = await call("/policies", { document, message: hostile });
    const { id: list } = await call("/lists", { name: "hostile", description: hostile, items: [hostile] });
    const schema = { type: "object", description: hostile, properties: { [hostile]: { type: "string" } } };
    const { id: schemaId } = await call("/schemas", { name: "hostile", description: hostile, schema });
    const { id: dataset } = await call("/datasets", { name: "hostile", description: hostile });
    await call("/projects", { name: hostile, description: hostile });
    await call("/webhooks", { url: `https://93.184.216.34/${hostile}`, events: ["policy.updated"] });
    const { id: alert } = await call("/alert-rules", { name: hostile, metric: "block_rate", threshold: 0.5 });
    const publish = `/projects/${world.projectId}/envs/${world.environment}/bundles/publish`;
    await call(publish, { activate: true, message: hostile });
    const found = { policy: "hostile", ruleId: "attack", agentId: "hostile" };
    const trace = await reportTrace(plane, world, { text: hostile, outcome: "BLOCK", found });
    await plane.database.systemTransaction(world.orgId, async (tx) => {
      await tx.sql("update organization set name = ? where id = ?", [hostile, world.orgId]);
    });
    return [
      `/policies/${policy}`,
      `/policies/${policy}/versions`,
      `/lists/${list}`,
      `/schemas/${schemaId}`,
      `/datasets/${dataset}`,
      `/alerts/${alert}`,
      `/traces?trace=${trace}`,
      `/environments/${world.projectId}/${world.environment}/1`,
    ];
  }

  test("a text that would be markup is text, in every field and on every page", async () => {
    const details = await plant();
    const page = await driver.openAs("owner", driver.at("/"));
    const lists = navigationPages.map(({ to }) => to.replace("/o/$org", ""));
    const telling = ["/policies", "/lists", "/schemas", "/datasets", "/alerts", "/environments", ...details];
    // The name of the organization is on every page; what counts is what the page adds. The editor is a tree of its own
    // within the page, and writes quotation marks as its document does.
    const texts = page.getByText("<img src=x");
    for (const path of new Set([...lists, ...telling])) {
      await driver.go(page, path);
      await page.waitForLoadState("networkidle");
      if (telling.includes(path)) await expect.poll(() => texts.count(), { message: path }).toBeGreaterThan(1);
      const [title, images] = await page.evaluate(
        () => [document.title, document.querySelectorAll("img").length] as const,
      );
      expect({ path, images, isTaken: title === "taken" }).toEqual({ path, images: 0, isTaken: false });
    }
  });

  test("a page of another origin can neither call, nor send a form, nor frame, nor sign anybody out", async () => {
    const page = await driver.openAs("editor", driver.at("/policies"));
    driver.willVisit(evilUrl);
    const other = await driver.context.newPage();
    await other.goto(evilUrl);
    const { baseUrl } = driver.plane;
    const answers = await other.evaluate(async (target) => {
      const told = async (path: string, init: RequestInit) => {
        try {
          const answer = await fetch(target + path, { credentials: "include", ...init });
          return answer.type === "opaque" ? "opaque" : `${answer.status} ${await answer.text()}`;
        } catch {
          return "refused by the browser";
        }
      };
      const headers = { "X-Policy-Guard-Console": "1" };
      return Promise.all([
        told("/v1/auth/me", {}),
        told("/v1/auth/me", { headers }),
        told("/v1/auth/me", { mode: "no-cors" }),
        told("/v1/auth/logout", { method: "POST", mode: "no-cors" }),
        told("/v1/auth/logout", { method: "POST", mode: "no-cors", body: "{}" }),
      ]);
    }, baseUrl);
    const unread = "refused by the browser";
    expect(answers).toEqual([unread, unread, "opaque", "opaque", "opaque"]);
    await other.evaluate((target) => {
      const form = document.createElement("form");
      Object.assign(form, { method: "post", action: `${target}/v1/auth/logout`, target: "sent" });
      const frame = Object.assign(document.createElement("iframe"), { name: "sent" });
      const shown = Object.assign(document.createElement("iframe"), { src: `${target}/`, id: "shown" });
      document.body.append(form, frame, shown);
      form.submit();
      return new Promise((resolve) => shown.addEventListener("load", resolve));
    }, baseUrl);
    const framed = other.frames().filter((frame) => frame.url().startsWith(baseUrl));
    for (const frame of framed) expect(await frame.locator("#content").count()).toBe(0);
    await driver.go(page, "/traces");
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
  });

  test.each(["//evil.example/o", "/\\evil.example", "https://evil.example", "javascript:alert(1)"])(
    "a link to the sign-in that would lead on to %s leads home",
    async (next) => {
      const page = await driver.open(`/sign-in?next=${encodeURIComponent(next)}`);
      await driver.signIn(page, await driver.world.person("viewer"));
      await page.locator("#content h1").getByText("Home").waitFor();
      expect(new URL(page.url()).origin).toBe(driver.plane.baseUrl);
    },
  );

  test("somebody else's sign-in in another tab loads this one anew, as theirs", async () => {
    const page = await driver.openAs("administrator", driver.at("/settings/tokens"));
    await page.getByRole("button", { name: "Issue a token…" }).first().waitFor();
    const other = await driver.context.newPage();
    await other.goto(`${driver.plane.baseUrl}/sign-in`);
    await driver.signIn(other, await driver.world.person("viewer"));
    await other.locator("#content h1").waitFor();
    await page.getByRole("link", { name: "Policies", exact: true }).click();
    await page.getByRole("link", { name: "Tokens" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: /Account$/ }).click();
    const { email } = await driver.world.person("viewer");
    await page.getByText(email).waitFor();
  });

  test("a session that ends in the middle of a form or a list loses nothing that was typed", async () => {
    const { id } = await call("/lists", { name: "typed", items: ["one"] });
    const page = await driver.openAs("editor", driver.at(`/lists/${id}`));
    await page.getByLabel("Items of typed").fill("one\ntwo");
    await page.waitForLoadState("networkidle");
    await driver.context.clearCookies();
    await page.getByRole("button", { name: "Save the items" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in" });
    await dialog.getByLabel("Password").fill(everybodysPassword);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("Items of typed").inputValue()).toBe("one\ntwo");
    await page.getByRole("button", { name: "Save the items" }).click();
    await page.getByText("Saved. The next bundle has them.").waitFor();

    await driver.go(page, "/lists");
    await page.getByRole("button", { name: "New list…" }).click();
    const form = page.getByRole("dialog", { name: "New list" });
    await form.getByLabel("Name").fill("half_typed");
    await form.getByLabel("Items").fill("a\nb");
    await page.waitForLoadState("networkidle");
    await driver.context.clearCookies();
    await form.getByRole("button", { name: "Create the list" }).click();
    await dialog.getByLabel("Password").fill(everybodysPassword);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    await form.getByRole("button", { name: "Create the list" }).click();
    await page.getByRole("heading", { level: 1, name: "half_typed" }).waitFor();
    await page.getByText("2 items", { exact: true }).first().waitFor();
  });
});
