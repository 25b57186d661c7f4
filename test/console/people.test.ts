// People in the console: how they come in, what they do with their account, and what admins do with them.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { totpCode, totpStep } from "../../src/domain/identity/totp.ts";
import { callAccount } from "../api/identity/people.ts";
import { caller } from "../api/scim/directory.ts";
import { browserPath } from "../harness/browser/browser.ts";
import { type ConsoleDriver, startConsole } from "../harness/browser/console-driver.ts";
import { eventually } from "../harness/eventually.ts";
import { fromBase32 } from "../harness/vector/account-step.ts";
import { everybodysPassword } from "../harness/vector/person.ts";
import { setPlan } from "../harness/vector/plan.ts";
import { createWorld } from "../harness/vector/world.ts";

describe.skipIf(browserPath === undefined)("people in the console (needs chromium)", () => {
  let driver: ConsoleDriver;
  beforeAll(async () => {
    driver = await startConsole();
  });
  afterEach(async ({ task }) => {
    expect(await driver.end({ name: task.name, hasFailed: task.result?.state === "fail" })).toEqual([]);
  });
  afterAll(() => driver?.stop());

  async function secondFactorOf(token: string): Promise<void> {
    const call = async (method: string, request: JsonObject) =>
      (await callAccount(driver.plane, method, request, { token })).body as JsonObject;
    const key = fromBase32(String((await call("EnrolMfa", {})).secret));
    await call("ConfirmMfa", { code: totpCode(key, totpStep(new Date())) });
  }

  test("somebody who is invited makes an account and joins, and the link's token is nowhere", async () => {
    const admin = await driver.openAs("administrator", driver.at("/settings/team"));
    await admin.getByRole("button", { name: "Invite…" }).click();
    await admin.getByLabel("E-mail").fill("grace@example.com");
    await admin.getByRole("dialog").getByLabel("Role").selectOption("viewer");
    await admin.getByRole("button", { name: "Invite", exact: true }).click();
    const shown = admin.getByRole("dialog", { name: "The invitation's link, shown once" });
    const link = new URL(await shown.locator("pre").innerText());
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await admin.getByRole("cell", { name: /^grace@example.com invited/ }).waitFor();
    await driver.end({ name: "", hasFailed: false });

    const page = await driver.open(link.pathname + link.hash);
    await page.getByRole("heading", { name: "Join Test" }).waitFor();
    expect(page.url()).toBe(`${driver.plane.baseUrl}/accept`);
    await page.getByText(/^admin\..*@example.com invites you as Viewer\. The link ends in 7 days\.$/).waitFor();
    await page.getByLabel("Your name").fill("Grace Hopper");
    await page.getByLabel("Password").fill("password12");
    await page.getByRole("button", { name: "Create the account and join" }).click();
    await page
      .getByRole("alert")
      .getByText(/password/)
      .waitFor();
    await page.getByLabel("Password").fill(everybodysPassword);
    // The link works once: who is signed in by it is asked again where nobody answered.
    await page.route("**/*.AccountService/GetMe", (route) => route.abort());
    await page.getByRole("button", { name: "Create the account and join" }).click();
    await page.getByRole("heading", { level: 1, name: "This page could not be loaded" }).waitFor();
    expect(await driver.flawsOf(page)).toEqual([]);
    await page.unroute("**/*.AccountService/GetMe");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("#content h1").getByText("Home").waitFor();
    expect(await page.getByRole("link", { name: "Tokens" }).count()).toBe(0);
    expect(await page.evaluate(() => document.cookie + JSON.stringify([localStorage, sessionStorage]))).toBe("[{},{}]");
  });

  test("an admin sees for each person only what would not be refused", async () => {
    await Promise.all((["owner", "editor"] as const).map((persona) => driver.world.person(persona)));
    const page = await driver.openAs("administrator", driver.at("/settings/team"));
    await page.getByRole("cell", { name: /^Ada Lovelace editor\./ }).waitFor();
    const actionsFor = (persona: string) => page.getByRole("button", { name: new RegExp(`^Actions for ${persona}`) });
    expect(await actionsFor("owner").count()).toBe(0);
    const offers = (...deeds: readonly string[]) =>
      eventually(async () => {
        expect(await page.getByRole("menuitem").filter({ visible: true }).allInnerTexts()).toEqual(deeds);
      });
    await actionsFor("admin").click();
    await offers("Leave…");
    await page.keyboard.press("Escape");
    await actionsFor("editor").click();
    await offers("Change the role…", "Remove…");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Role of Ada Lovelace" });
    await dialog.waitFor();
    expect(await dialog.getByRole("option").allInnerTexts()).toEqual(["Viewer", "Editor", "Admin"]);
    await dialog.getByLabel("Role").selectOption("viewer");
    await dialog.getByRole("button", { name: "Change the role" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("row", { name: /editor\..* Viewer / }).waitFor();
  });

  test("whom a directory manages is marked, with their id there, and what it decides is not offered", async () => {
    // An organization of its own: while there is a directory, other ways in are closed.
    const world = await createWorld(driver.plane.database);
    await setPlan(driver.plane.database, world.orgId, "enterprise");
    const [owner, ...managed] = await Promise.all([
      world.person("owner"),
      ...(["editor", "viewer"] as const).map((persona) => world.person(persona)),
    ]);
    const call = caller(driver.plane, world.orgId, await world.directory("scim_owner"));
    const set = async (path: string, Operations: readonly unknown[]) =>
      expect((await call("PATCH", path, { Operations })).status).toBeLessThan(300);
    for (const { member_id } of managed) {
      const value = `00u-${member_id}`;
      await set(`/Users/${member_id}`, [{ op: "add", path: "externalId", value }]);
    }
    const [editor, viewer] = managed;
    const groups = await call("GET", "/Groups?filter=displayName+eq+%22editor%22");
    const inGroup = [{ op: "add", path: "members", value: [{ value: editor?.member_id }] }];
    await set(`/Groups/${groups.body.Resources[0].id}`, inGroup);

    const page = await driver.open(`/o/${world.orgId}/settings/team`);
    await driver.signIn(page, owner);
    const rowOf = (email = "") => page.getByRole("row", { name: new RegExp(email) });
    const offered = async (email = "") => {
      await page.getByRole("button", { name: `Actions for ${email}` }).click();
      const menu = page.getByRole("menuitem").filter({ visible: true });
      await menu.first().waitFor();
      const items = await menu.allInnerTexts();
      await page.keyboard.press("Escape");
      return items;
    };
    await rowOf(viewer?.email).getByText("directory", { exact: true }).waitFor();
    await rowOf(editor?.email).getByText("by its groups").waitFor();
    await rowOf(editor?.email).getByText(`00u-${editor?.member_id} in the directory`).waitFor();
    expect(await rowOf(viewer?.email).getByText("by its groups").count()).toBe(0);
    expect(await rowOf(owner.email).getByText("directory").count()).toBe(0);
    expect(await offered(editor?.email)).toEqual(["Deactivate…"]);
    expect(await offered(viewer?.email)).toEqual(["Change the role…", "Make owner…", "Deactivate…"]);
    await page.getByRole("button", { name: `Actions for ${editor?.email}` }).click();
    await page.getByRole("menuitem", { name: "Deactivate…" }).click();
    await page.getByRole("button", { name: "Deactivate the member" }).click();
    await rowOf(editor?.email).getByText("deactivated").waitFor();
    // The directory alone removes them.
    expect(await page.getByRole("button", { name: `Actions for ${editor?.email}` }).count()).toBe(0);
  });

  test("a request to join is made, seen and approved", async () => {
    const stranger = await driver.world.person("foreign_owner");
    const asking = await driver.open(`/join/${driver.world.orgId}`);
    await driver.signIn(asking, stranger);
    await asking.getByRole("heading", { name: "Ask to join" }).waitFor();
    await asking.getByLabel("Message").fill("Ada told me to ask.\nI build the bot.");
    await asking.getByRole("link", { name: "To my organizations" }).click();
    await asking.getByRole("dialog", { name: "Leave this page?" }).getByRole("button", { name: "Stay" }).click();
    await asking.getByRole("button", { name: "Ask" }).click();
    await asking.getByRole("heading", { name: /its admins have your request/ }).waitFor();
    await driver.end({ name: "", hasFailed: false });

    const page = await driver.openAs("administrator", driver.at("/settings/team"));
    await page.getByText("Ada told me to ask. I build the bot.").waitFor();
    await page.getByRole("button", { name: "Approve…" }).click();
    await page.getByRole("dialog").getByLabel("Role").selectOption("editor");
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("Nobody waits for an answer.").waitFor();
    await page.getByRole("cell", { name: `Ada Lovelace ${stranger.email}` }).waitFor();
  });

  test("a name is changed, and a second factor is set up, asked for at the next sign-in, and turned off with a recovery code", async () => {
    const page = await driver.openAs("viewer", "/account");
    await page.getByRole("button", { name: "Change the name…" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Ada King");
    await page.getByRole("button", { name: "Change the name", exact: true }).click();
    await page.getByRole("definition").getByText("Ada King", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Set up…" }).click();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    const key = fromBase32(await page.getByRole("dialog").locator("code").innerText());
    await page.getByLabel("Six digits").fill("000000");
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("dialog").getByText(/code/i).first().waitFor();
    await page.getByLabel("Six digits").fill(totpCode(key, totpStep(new Date())));
    await page.getByRole("button", { name: "Turn on" }).click();
    const shown = page.getByRole("dialog", { name: "Recovery codes, shown once" });
    const [code = ""] = (await shown.locator("pre").innerText()).split("\n");
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("button", { name: "Turn off…" }).waitFor();
    await driver.end({ name: "", hasFailed: false });

    const again = await driver.open("/sign-in");
    await driver.signIn(again, await driver.world.person("viewer"));
    await again.getByRole("button", { name: "Begin again" }).click();
    await driver.signIn(again, await driver.world.person("viewer"));
    // The code of the step that was just used works once, so the next one signs in, by itself.
    await again.getByLabel("Code").fill(totpCode(key, totpStep(new Date()) + 1));
    await again.locator("#content h1").waitFor();
    await again.goto(`${driver.plane.baseUrl}/account`);
    await again.getByRole("button", { name: "Renew the recovery codes…" }).click();
    await again.getByRole("dialog").getByLabel("Code").fill(code);
    await again.getByRole("button", { name: "Renew", exact: true }).click();
    const renewed = again.getByRole("dialog", { name: "Recovery codes, shown once" });
    const [next = ""] = (await renewed.locator("pre").innerText()).split("\n");
    await renewed.getByRole("button", { name: "I have stored it" }).click();
    await again.getByRole("button", { name: "Turn off…" }).click();
    const off = again.getByRole("dialog", { name: "Turn off the second factor" });
    await off.getByLabel("Code").fill(code);
    await again.getByRole("button", { name: "Turn off", exact: true }).click();
    await off
      .getByText(/was used before/)
      .first()
      .waitFor();
    await off.getByLabel("Code").fill(next);
    await again.getByRole("button", { name: "Turn off", exact: true }).click();
    await again.getByRole("button", { name: "Set up…" }).waitFor();
  });

  test("an organization demands second factors, and leads members without one to their account", async () => {
    const world = await createWorld(driver.plane.database);
    const [admin, editor] = await Promise.all([world.person("administrator"), world.person("editor")]);
    const member = await driver.open(`/o/${world.orgId}/policies`);
    await driver.signIn(member, editor);
    await member.locator("#content h1").getByText("Policies").waitFor();

    const page = await driver.open(`/o/${world.orgId}/settings`);
    await driver.signIn(page, admin);
    await page.getByRole("button", { name: "Demand of everybody…" }).click();
    const dialog = page.getByRole("dialog", { name: "Demand a second factor of everybody?" });
    await dialog.getByRole("button", { name: "Demand it" }).click();
    await dialog.getByText(/only somebody who has a second factor/).waitFor();
    await secondFactorOf(admin.access_token);
    await dialog.getByRole("button", { name: "Demand it" }).click();
    await page.getByText("demanded of everybody", { exact: true }).waitFor();

    // Whoever is inside meets it with the next call.
    await member.getByRole("link", { name: "Environments" }).click();
    await member.getByRole("heading", { name: "Test demands a second factor" }).waitFor();
    expect(await driver.flawsOf(member)).toEqual([]);
    await member.getByRole("link", { name: "Set it up in your account" }).click();
    await member.getByRole("button", { name: "Set up…" }).click();
    await member.getByRole("button", { name: "Go on" }).click();
    await member.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    const key = fromBase32(await member.getByRole("dialog").locator("code").innerText());
    await member.getByLabel("Six digits").fill(totpCode(key, totpStep(new Date())));
    await member.getByRole("button", { name: "Turn on" }).click();
    await member.getByRole("button", { name: "I have stored it" }).click();
    await member.getByRole("button", { name: "Turn off…" }).click();
    await member.getByText(/^Demanded by Test: you are refused there/).waitFor();
    await member.getByRole("button", { name: "Cancel" }).click();
    await member.goto(`${driver.plane.baseUrl}/o/${world.orgId}/policies`);
    await member.locator("#content h1").getByText("Policies").waitFor();
  });

  test("sessions are listed, and another one is ended", async () => {
    const page = await driver.openAs("owner", "/account");
    const others = page.getByRole("button", { name: /^End: / });
    await others.first().waitFor();
    const before = await others.count();
    await others.first().click();
    await expect.poll(() => others.count()).toBe(before - 1);
    await page.getByText("this one").waitFor();
  });

  test("somebody registers, founds an organization, and is its owner", async () => {
    const page = await driver.open("/sign-in");
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Your name").fill("Mary Shaw");
    await page.getByLabel("E-mail").fill("mary@example.com");
    await page.getByLabel("Password").fill(everybodysPassword);
    await page.getByRole("button", { name: "Create the account" }).click();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await page.getByLabel("Name of the organization").fill("Shaw & <b>Sons</b>");
    await page.getByRole("button", { name: "Create the organization" }).click();
    await page.locator("#content h1").waitFor();
    await page.getByText("Shaw & <b>Sons</b>").waitFor();
    await page.getByRole("link", { name: "Team" }).click();
    await page.getByRole("row", { name: /Mary Shaw you .* Owner/ }).waitFor();
    await page.goto(`${driver.plane.baseUrl}/welcome`);
    await page.getByLabel("Id of the organization").fill("acme");
    await page.getByRole("button", { name: "Join another" }).click();
    await page.getByText("The address has no id of an organization.").waitFor();
    expect(await page.getByRole("button", { name: "Ask" }).count()).toBe(0);
    await page.route("**/*.OrganizationService/CreateOrganization", (route) => route.abort());
    await page.goBack();
    await page.getByLabel("Name of the organization").fill("Another");
    await page.getByRole("button", { name: "Create the organization" }).click();
    await page.getByRole("alert").getByText("The control plane does not answer.").waitFor();
  });

  test("without mail, a forgotten password is an operator's to set", async () => {
    const page = await driver.open("/password-reset");
    await page.getByText("npm run set-password").waitFor();
    expect(await page.getByRole("textbox").count()).toBe(0);
  });

  test("a link that is used up, or was opened before, says so", async () => {
    const page = await driver.open(`/accept#token=${"x".repeat(43)}`);
    await page.getByRole("alert").waitFor();
    const needsLink = page.getByRole("heading", { name: "This page needs the link of a mail" });
    await page.reload();
    await needsLink.waitFor();
    // Another link, pasted into the address of the same page, is taken out of it as well.
    await page.evaluate(() => location.assign("#token=short"));
    await page.getByRole("alert").waitFor();
    expect(page.url()).toBe(`${driver.plane.baseUrl}/accept`);
    for (const path of ["/register/confirm", "/password-reset/confirm"]) {
      await page.goto(`${driver.plane.baseUrl}${path}#token=short`);
      await page.getByRole("button").waitFor();
      if (path.startsWith("/password")) await page.getByLabel("New password").fill(everybodysPassword);
      await page.getByRole("button").click();
      await page.getByRole("alert").waitFor();
    }
  });

  test("the pages of people are accessible in the light, and in the dark on a phone, which they fit", async () => {
    const found: string[] = [];
    const lookAt = async (page: Page, path: string) => {
      await page.goto(driver.plane.baseUrl + path);
      await page.locator("h1").waitFor();
      for (const look of [
        { colorScheme: "light", width: 1280 } as const,
        { colorScheme: "dark", width: 390 } as const,
      ]) {
        await driver.show(page, look);
        for (const flaw of await driver.flawsOf(page)) found.push(`${path} ${look.colorScheme}: ${flaw}`);
      }
    };
    const page = await driver.open("/sign-in");
    for (const path of ["/sign-in", "/sign-up", "/password-reset", "/accept", "/sign-in/sso"]) await lookAt(page, path);
    await page.goto(`${driver.plane.baseUrl}/sign-in`);
    await driver.signIn(page, await driver.world.person("administrator"));
    await page.locator("#content h1").waitFor();
    for (const path of [driver.at("/settings/team"), "/account", "/welcome", "/join/x"]) await lookAt(page, path);
    expect(found).toEqual([]);
  });
});
