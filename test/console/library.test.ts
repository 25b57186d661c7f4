// What policies are made of: packs, detectors, lists, output schemas, in a real browser against a real product.

import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserPath } from "../harness/browser/browser.ts";
import { type ConsoleDriver, startConsole } from "../harness/browser/console-driver.ts";

const hostile = `<img src=x onerror="document.title='taken'"> & "quoted"`;

describe.skipIf(browserPath === undefined)("what policies are made of, in a browser (needs chromium)", () => {
  let driver: ConsoleDriver;

  beforeAll(async () => {
    driver = await startConsole();
  });
  afterEach(async ({ task }) => {
    expect(await driver.end({ name: task.name, hasFailed: task.result?.state === "fail" })).toEqual([]);
  });
  afterAll(() => driver?.stop());

  /** A call of the organization's admin token. */
  async function call(method: string, path: string, body: unknown): Promise<{ readonly id: string }> {
    const { orgId, tokens } = driver.world;
    const answer = await fetch(`${driver.plane.baseUrl}/v1/orgs/${orgId}${path}`, {
      method,
      headers: { Authorization: `Bearer ${tokens.admin}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.clone().text()).toBeLessThan(300);
    return (await answer.json()) as { readonly id: string };
  }

  async function writeInto(page: Page, label: string, text: string): Promise<void> {
    const editor = page.getByRole("textbox", { name: label });
    await editor.click();
    await page.keyboard.press("ControlOrMeta+a");
    await editor.evaluate((content, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  }

  test("thousands of items are pasted into a list, and what was typed survives a reload and another's save", async () => {
    const page = await driver.openAs("editor", driver.at("/lists"));
    await page.getByRole("heading", { name: "No list yet" }).waitFor();
    await page.getByRole("button", { name: "New list…" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New list" });
    await dialog.getByLabel("Name").fill("not a name");
    await dialog.getByLabel("Description").fill(hostile);
    await dialog.getByLabel("Environment").fill("dev");
    const many = Array.from({ length: 3_000 }, (_, n) => `partner-${n}.example`);
    // Typed by a browser's driver, thousands of lines take minutes on a busy machine; pasted, they are there at once.
    await dialog
      .getByLabel("Items")
      .evaluate((area, text) => Object.assign(area, { value: text }), [...many, many[0], "", hostile].join("\n"));
    await dialog.getByRole("button", { name: "Create the list" }).click();
    await dialog.getByRole("alert").first().waitFor();
    await dialog.getByLabel("Name").fill("partners");
    await dialog.getByRole("button", { name: "Create the list" }).click();
    await page.getByRole("heading", { level: 1, name: "partners" }).waitFor();
    await page.getByText("3,001 items", { exact: true }).first().waitFor();
    await page.getByText("lists.partners").waitFor();
    await page.getByText(hostile).first().waitFor();

    const items = page.getByLabel("Items of partners");
    await items.fill(`one\ntwo\n  two\n${"x".repeat(1_025)}`);
    await page.getByText(/^An item has at most 1,024 characters/).waitFor();
    await items.fill("one\ntwo\n  two");
    await page.getByText("2 items, 1 line repeats another").waitFor();
    await page.reload();
    await page.getByText("Your unsaved text was restored.").waitFor();
    await call("PUT", `/lists/${listIn(page)}`, { items: ["theirs", "two"] });
    await page.getByRole("button", { name: "Save the items" }).click();
    const conflict = page.getByRole("alert").filter({ hasText: "Somebody saved meanwhile." });
    await conflict.getByText("theirs", { exact: true }).waitFor();
    await conflict.getByText("one", { exact: true }).waitFor();
    await conflict.getByRole("button", { name: "Keep mine" }).click();
    await page.getByText("Saved. The next bundle has them.").waitFor();
    expect(await items.inputValue()).toBe("one\ntwo");
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toBe("{}");

    await slowly(page, "ListService/UpdateList");
    await items.fill("one\ntwo\nthree");
    await page.getByRole("button", { name: "Save the items" }).click();
    await items.fill("one\ntwo\nthree\nfour");
    await page.getByRole("button", { name: "Save the items", disabled: false }).click();
    await page.getByText("Saved. The next bundle has them.").waitFor();
    await page.getByText("4 items", { exact: true }).first().waitFor();
    expect(await items.inputValue()).toBe("one\ntwo\nthree\nfour");

    await call("PUT", `/lists/${listIn(page)}`, { items: ["two\nlines"] });
    await page.reload();
    await page.getByText(/^Some items have line breaks/).waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete the list" }).click();
    await page.getByRole("heading", { name: "No list yet" }).waitFor();

    // Whoever closed the dialog before the list was made is not led to it.
    const closed = Promise.withResolvers<void>();
    await page.route("**/*.ListService/CreateList", (route) => closed.promise.then(() => route.continue()));
    await page.getByRole("button", { name: "New list…" }).first().click();
    await dialog.getByLabel("Name").fill("late");
    await dialog.getByRole("button", { name: "Create the list" }).click();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    closed.resolve();
    await page.getByRole("link", { name: "late" }).waitFor();
    await driver.loaded(page);
    await page.getByRole("heading", { level: 1, name: "Lists" }).waitFor();
  });

  /** Lets calls of a method wait, as on a bad line. */
  function slowly(page: Page, method: string): Promise<unknown> {
    return page.route(`**/*.${method}`, async (route) => {
      await sleep(1_500);
      await route.continue();
    });
  }

  function listIn(page: Page): string {
    return new URL(page.url()).pathname.split("/").at(-1) ?? "";
  }

  test("a schema is written, tried and changed; of two that save, neither is lost", async () => {
    const page = await driver.openAs("editor", driver.at("/schemas/new"));
    await writeInto(page, "Schema document", '{"type": "object",\n "required": [}');
    await page.getByText(/^Line 2, column 15: /).waitFor();
    expect(await page.getByRole("button", { name: "Create the schema" }).getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("Name").fill("reply");
    await page.getByLabel("Description").fill(hostile);
    await writeInto(page, "Schema document", '{"$ref": "https://example.com/other"}');
    await page.getByRole("button", { name: "Create the schema" }).click();
    await page.getByRole("alert").first().waitFor();
    const schema = (type: string) => `{"type": "object", "properties": {"amount": {"type": "${type}"}}}`;
    await writeInto(page, "Schema document", schema("number"));
    await page.getByRole("button", { name: "Create the schema" }).click();
    await page.getByRole("heading", { level: 1, name: "reply" }).waitFor();
    await page.getByText("No active bundle contains it.").waitFor();

    await page.getByLabel("Output of a model").fill('{"amount": "three"}');
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("table", { name: "What does not fit" }).getByText("/amount").waitFor();
    // What comes after another text was written is about the former one.
    const written = Promise.withResolvers<void>();
    const check = page.getByRole("button", { name: "Check" });
    await page.route("**/*.OutputSchemaService/ValidateOutput", (route) =>
      written.promise.then(() => route.continue()),
    );
    await check.click();
    await page.getByLabel("Output of a model").fill('{"amount": 3}');
    written.resolve();
    await page.getByRole("button", { name: "Check", disabled: false }).waitFor();
    expect(await page.getByRole("table", { name: "What does not fit" }).count()).toBe(0);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("fits", { exact: true }).waitFor();

    await writeInto(page, "Schema document", schema("string"));
    await call("PUT", `/schemas/${listIn(page)}`, { schema: JSON.parse(schema("boolean")) });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const conflict = page.getByRole("dialog", { name: "Somebody saved another version meanwhile." });
    await conflict.getByText("boolean").first().waitFor();
    await conflict.getByRole("button", { name: "Keep mine, on top of v2" }).click();
    await page.getByText(/^v3 · saved/).waitFor();
    await slowly(page, "OutputSchemaService/UpdateOutputSchema");
    await writeInto(page, "Schema document", schema("integer"));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await writeInto(page, "Schema document", schema("null"));
    await page.getByText(/^v4 · unsaved/).waitFor();
    await page.getByRole("textbox", { name: "Schema document" }).getByText('"null"').waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^v5 · saved/).waitFor();
    await page.getByRole("button", { name: "Leave out of bundles" }).click();
    await page.getByRole("button", { name: "Put into bundles" }).waitFor();
    await driver.go(page, "/schemas");
    await page.getByRole("row", { name: /^reply .* left out/ }).waitFor();
  });

  test("a detector is found, tried on an example and on a text of one's own", async () => {
    const page = await driver.openAs("editor", driver.at("/detectors"));
    await page.getByLabel("Category").selectOption("privacy");
    await page.getByRole("link", { name: "Injection" }).waitFor({ state: "detached" });
    await page.getByLabel("Filter detectors").fill("personal data");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Personal data" }).click();
    await page.getByRole("heading", { level: 1, name: "Personal data" }).waitFor();
    const trial = page.getByRole("region", { name: "Try it", exact: true });
    await trial.getByLabel("Text to try it on").fill(`Write to ada@lovelace.dev ${hostile}`);
    await trial.getByLabel("Parameters").fill('{"entities": ["EMAIL"]}');
    await page.keyboard.press("ControlOrMeta+Enter");
    await trial.locator("mark").getByText("ada@lovelace.dev").waitFor();
    await trial.getByText("a rule would match").waitFor();
    await trial.getByLabel("Parameters").fill("{");
    await trial.getByText(/^Parameters are a JSON object/).waitFor();
    await trial.getByLabel("Parameters").fill('{"entities": ["NOBODY"]}');
    await trial.getByRole("button", { name: "Try" }).click();
    await trial.getByRole("alert").waitFor();
    await page.getByRole("table", { name: "Examples" }).getByRole("button").first().click();
    await trial.getByRole("button", { name: "Try" }).click();
    await trial.getByText(/^(a|no) rule would match$/).waitFor();
  });

  test("an own detector is added with its problems told, changed and deleted", async () => {
    const page = await driver.openAs("administrator", driver.at("/detectors"));
    const panel = page.getByRole("region", { name: "Your own detectors" });
    await panel.getByText("None yet.").waitFor();
    await panel.getByRole("button", { name: "Add a detector…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Key").fill("NOT A KEY");
    await dialog.getByLabel("Address").fill("https://detectors.example/v1?a=<b>");
    await dialog.getByRole("button", { name: "Add the detector" }).click();
    await dialog.getByRole("alert").first().waitFor();
    await dialog.getByLabel("Key").fill("inj-model");
    await dialog.getByRole("button", { name: "Add the detector" }).click();
    await panel.getByText("https://detectors.example/v1?a=<b>").waitFor();
    await panel.getByRole("button", { name: "Edit inj-model" }).click();
    await dialog.getByLabel("Time limit, in milliseconds").fill("350");
    await dialog.getByLabel("Labels").selectOption("llama-guard-3");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("llama-guard-3 is for the shapes llama-guard", { exact: true }).waitFor();
    await dialog.getByLabel("Protocol").selectOption("llama-guard");
    await dialog.getByLabel("Model of the server").fill("guard:1b");
    await dialog.getByRole("button", { name: "Save" }).click();
    await panel.getByText("350 ms").waitFor();
    await panel.getByText("llama-guard-3, guard:1b").waitFor();
    // What is not touched stays as it is.
    await panel.getByRole("button", { name: "Edit inj-model" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await panel.getByText("llama-guard-3, guard:1b").waitFor();
    await panel.getByRole("button", { name: "Delete inj-model" }).click();
    await page.getByRole("button", { name: "Delete the detector" }).click();
    await panel.getByText("None yet.").waitFor();
  });

  test("a pack is set, previewed and applied, and leads to the policy that it wrote", async () => {
    const page = await driver.openAs("editor", driver.at("/packs"));
    await page.getByLabel("Filter packs").fill("no such pack");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByRole("link", { name: "Personal data (Europe)" }).click();
    const form = page.getByRole("region", { name: "Apply it" });
    await form.getByLabel("Action", { exact: true }).selectOption("FLAG");
    await form.getByLabel("Own domains").fill("help.example.com\nbot.example.com");
    const chosen = Promise.withResolvers<void>();
    await page.route("**/*.PackService/ApplyPack", (route) => chosen.promise.then(() => route.continue()));
    await form.getByRole("button", { name: "Preview" }).click();
    await form.getByRole("button", { name: "Preview", disabled: true }).waitFor();
    // What comes after another choice is about the former one, and offers to apply neither.
    await form.getByLabel("Action", { exact: true }).selectOption("REDACT");
    chosen.resolve();
    await form.getByRole("button", { name: "Preview", disabled: false }).waitFor();
    expect(await form.getByText("would be created").count()).toBe(0);
    await form.getByLabel("Action", { exact: true }).selectOption("FLAG");
    await form.getByRole("button", { name: "Preview" }).click();
    await form.getByText("would be created").waitFor();
    expect((await page.getByRole("link", { name: "Policies" }).count()) > 0).toBe(true);
    await form.getByLabel("Action", { exact: true }).selectOption("BLOCK");
    await form.getByText("would be created").waitFor({ state: "detached" });
    await form.getByRole("button", { name: "Preview" }).click();
    await form.getByRole("button", { name: /^Apply version / }).click();
    await form.getByText("was created").waitFor();
    await form.getByRole("button", { name: "Preview" }).click();
    await form.getByText("would stay as it is").waitFor();
    expect(await form.getByRole("button", { name: /^Apply version / }).getAttribute("aria-disabled")).toBe("true");
    await form.getByRole("link", { name: "pii-eu" }).click();
    await page.getByRole("heading", { level: 1, name: "pii-eu" }).waitFor();
  });

  test("a viewer finds no deed on these pages", async () => {
    const { id: list } = await call("POST", "/lists", { name: "seen", items: ["a"] });
    const { id: schema } = await call("POST", "/schemas", { name: "seen", schema: { type: "object" } });
    const page = await driver.openAs("viewer", driver.at("/"));
    const routes = ["/lists", `/lists/${list}`, "/schemas", `/schemas/${schema}`, "/detectors", "/detectors/pii"];
    for (const route of [...routes, "/packs", "/packs/pii-eu"]) {
      await driver.go(page, route);
      await driver.loaded(page);
      const deeds = /^(New|Save|Delete|Add|Edit|Try|Preview|Apply|Create|Leave out)/;
      const main = page.locator("main");
      const found = [
        ...(await main.getByRole("button", { name: deeds }).allInnerTexts()),
        ...(await main.getByRole("link", { name: /^New/ }).allInnerTexts()),
      ];
      expect({ route, found }).toEqual({ route, found: [] });
    }
    expect(await page.getByLabel("Items of seen").count()).toBe(0);
    await driver.go(page, `/lists/${list}`);
    expect(await page.getByLabel("Items of seen").isEditable()).toBe(false);
  });
});
