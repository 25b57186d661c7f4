// What somebody hostile tries: a page of another origin, an address that leads elsewhere (texts that would be markup are
// in test/console/every-route.test.ts); and what a session that ends or changes in the middle of work may not lose.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserPath } from "../harness/browser/browser.ts";
import { type ConsoleDriver, startConsole } from "../harness/browser/console-driver.ts";
import { everybodysPassword } from "../harness/vector/person.ts";

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

  test.each(["/accept", "/register/confirm", "/password-reset/confirm"])(
    "the secret of a mailed link to %s leaves the address before anything else",
    async (path) => {
      const secret = "x".repeat(43);
      const page = await driver.open(`${path}#token=${secret}`);
      await page.locator("h1").waitFor();
      expect(page.url()).toBe(driver.plane.baseUrl + path);
      const kept = await page.evaluate(() =>
        JSON.stringify([localStorage, sessionStorage, history.state, document.title]),
      );
      expect(kept).not.toContain(secret);
    },
  );

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

  test("somebody else's sign-in takes no half-typed dialog away before it was looked at", async () => {
    const page = await driver.openAs("editor", driver.at("/lists"));
    await page.getByRole("button", { name: "New list…" }).first().click();
    const form = page.getByRole("dialog", { name: "New list" });
    await form.getByLabel("Name").fill("half_typed_by_me");
    const other = await driver.context.newPage();
    await other.goto(`${driver.plane.baseUrl}/sign-in`);
    await driver.signIn(other, await driver.world.person("viewer"));
    await other.locator("#content h1").waitFor();
    const notice = page.getByRole("dialog", { name: "Somebody else has signed in" });
    await notice.waitFor();
    expect(await driver.flawsOf(page)).toEqual([]);
    await notice.getByRole("button", { name: "Look at what I typed" }).click();
    await notice.waitFor({ state: "detached" });
    await form.getByLabel("Items").fill("a");
    await form.getByRole("button", { name: "Create the list" }).click();
    await form
      .getByRole("alert")
      .getByText(/the browser has signed in again/)
      .waitFor();
    expect(await form.getByLabel("Name").inputValue()).toBe("half_typed_by_me");
    const asked = page.waitForEvent("dialog");
    await page.reload();
    expect((await asked).type()).toBe("beforeunload");
    await page.locator("#content h1").getByText("Lists").waitFor();
    expect(await page.getByRole("button", { name: "New list…" }).count()).toBe(0);
  });

  test("a session that ends in the middle of a form or a list loses nothing that was typed", async () => {
    const { id } = await call("/lists", { name: "typed", items: ["one"] });
    const page = await driver.openAs("editor", driver.at(`/lists/${id}`));
    await page.getByLabel("Items of typed").fill("one\ntwo");
    await driver.endSessionDuring(page, "**/*.ListService/UpdateList", () =>
      page.getByRole("button", { name: "Save the items" }).click(),
    );
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
    await driver.endSessionDuring(page, "**/*.ListService/CreateList", () =>
      form.getByRole("button", { name: "Create the list" }).click(),
    );
    await dialog.getByLabel("Password").fill(everybodysPassword);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    await form.getByRole("button", { name: "Create the list" }).click();
    await page.getByRole("heading", { level: 1, name: "half_typed" }).waitFor();
    await page.getByText("2 items", { exact: true }).first().waitFor();
  });
});
