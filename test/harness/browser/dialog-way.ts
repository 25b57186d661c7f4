// Dialogs to which no single press on a page leads, and the way to each: what is done before it, as whom, and where.

import type { Locator, Page } from "playwright-core";
import { totpCode, totpStep } from "../../../src/domain/identity/totp.ts";
import { SsoRow } from "../../../src/store/identity/sso.ts";
import { fromBase32 } from "../vector/account-step.ts";
import type { MemberPersona, World } from "../vector/world.ts";
import type { ConsoleDriver } from "./console-driver.ts";
import type { Filled } from "./filled.ts";

/** The way to a dialog. */
export interface DialogWay {
  /** Who goes it; the owner where it is absent. */
  readonly as?: MemberPersona;
  /** The page of the organization, or `account`. */
  readonly at: "account" | ((filled: Filled, world: World) => string);
  /** Leads to the dialog. Returns what gets the focus when it is closed. */
  readonly go: (page: Page, driver: ConsoleDriver) => Promise<Locator>;
  /** It shows a secret once, so that it is closed by nothing but its button. */
  readonly showsOnce?: true;
}

/** Presses the button of the page that has this name. */
async function press(page: Page, name: string): Promise<Locator> {
  const button = page.locator("#content").getByRole("button", { name, exact: true }).first();
  await button.click();
  return button;
}

/** Presses a button, and then the one that does the deed of the dialog. */
async function pressBoth(page: Page, name: string, deed: string): Promise<Locator> {
  const opener = await press(page, name);
  await page.getByRole("dialog").getByRole("button", { name: deed, exact: true }).click();
  return opener;
}

/** Shows the recovery codes of a second factor. */
async function setUpFactor(page: Page): Promise<Locator> {
  await pressBoth(page, "Set up…", "Go on");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("img").waitFor();
  const key = fromBase32(await dialog.locator("code").innerText());
  await dialog.getByLabel("Six digits").fill(totpCode(key, totpStep(new Date())));
  await dialog.getByRole("button", { name: "Turn on", exact: true }).click();
  await page.getByRole("dialog", { name: "Recovery codes, shown once" }).waitFor();
  return page.locator("#content").getByRole("button", { name: "Turn off…" });
}

/** Buys a plan on the local pages of payment, unless that was done before. */
async function buyGrowth(page: Page, { plane, world: { orgId } }: ConsoleDriver): Promise<void> {
  if ((await page.getByRole("button", { name: "Cancel the subscription…" }).count()) > 0) return;
  await plane.database.systemTransaction(orgId, (tx) =>
    tx.sql("update organization set plan = 'free' where id = ?", [orgId]),
  );
  await page.reload();
  await page.getByRole("button", { name: "Buy Growth" }).click();
  await page.getByRole("button", { name: "Pay 49.00 USD" }).click();
  await page.getByText("Growth paid").first().waitFor();
}

/** Issues the token of the directory, in place of one that there is. */
async function issueScimToken(page: Page): Promise<Locator> {
  const opener = page.locator("#content").getByRole("button", { name: /^Issue a (?:new )?token…$/ });
  await opener.click();
  await page.getByRole("dialog").locator("button[type=submit]").click();
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).waitFor();
  return opener;
}

/** Stores a provider as its configuration does once the provider has answered. */
async function storeProvider({ plane, world: { orgId } }: ConsoleDriver): Promise<void> {
  await plane.database.systemTransaction(orgId, async (tx) => {
    tx.em.create(SsoRow, {
      ...{ orgId, issuer: "https://provider.example", clientId: "policy-guard", clientSecret: null },
      ...{ enforced: false, defaultRole: "viewer", join: "request", roleClaim: null, roleMapping: {} },
      ...{ sessionsSince: tx.now, createdAt: tx.now, updatedAt: tx.now },
    });
  });
}

/** The ways, by the keys of their dialogs. */
export const dialogWays: Readonly<Record<string, DialogWay>> = {
  "page/account/password.tsx changeTitle": { at: "account", go: (page) => press(page, "Change the password…") },
  "page/account/profile.tsx renameTitle": { at: "account", go: (page) => press(page, "Change the name…") },
  "page/account/second-factor.tsx setUpTitle": { at: "account", go: (page) => press(page, "Set up…") },
  "page/account/second-factor.tsx codesTitle": { at: "account", as: "viewer", go: setUpFactor, showsOnce: true },
  "page/account/second-factor.tsx turnOffTitle": {
    at: "account",
    as: "editor",
    go: async (page) => {
      await setUpFactor(page);
      await page.getByRole("button", { name: "I have stored it" }).click();
      return press(page, "Turn off…");
    },
  },
  "page/identity/scim.tsx onceTitle": { at: () => "/settings/scim", go: issueScimToken, showsOnce: true },
  "page/identity/scim.tsx revokeTitle": {
    at: () => "/settings/scim",
    go: async (page) => {
      await issueScimToken(page);
      await page.getByRole("button", { name: "I have stored it" }).click();
      return press(page, "Revoke…");
    },
  },
  "page/identity/sso.tsx removeTitle": {
    at: () => "/settings/sso",
    go: async (page, driver) => {
      await storeProvider(driver);
      await page.reload();
      return press(page, "Remove…");
    },
  },
  "page/policy/save.tsx review": {
    at: ({ policy }) => `/policies/${policy}`,
    go: async (page) => {
      await page.getByRole("textbox", { name: "Policy document" }).click();
      await page.keyboard.press("ControlOrMeta+Home");
      await page.keyboard.type("# changed\n");
      return press(page, "Save…");
    },
  },
  "page/settings/issue-token.tsx onceTitle": {
    at: () => "/settings/tokens",
    go: async (page) => {
      const opener = await press(page, "Issue a token…");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Kind").selectOption("admin");
      await dialog.getByLabel("Name").fill("shown once");
      await dialog.locator("button[type=submit]").click();
      return opener;
    },
    showsOnce: true,
  },
  "page/settings/rotate-token.tsx onceTitle": {
    at: () => "/settings/tokens",
    go: (page) => pressBoth(page, "Rotate…", "Make the new value"),
    showsOnce: true,
  },
  "page/team/invite.tsx linkTitle": {
    at: () => "/settings/team",
    go: async (page) => {
      const opener = await press(page, "Invite…");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("E-mail").fill("shown.once@example.com");
      await dialog.locator("button[type=submit]").click();
      return opener;
    },
    showsOnce: true,
  },
  "page/team/member-dialog.tsx leaveTitle": {
    at: () => "/settings/team",
    as: "administrator",
    go: async (page) => {
      const own = page
        .getByRole("row")
        .filter({ has: page.getByText("you", { exact: true }) })
        .getByRole("button")
        .first();
      await own.click();
      await page.getByRole("menuitem", { name: /^Leave/ }).click();
      return own;
    },
  },
  "page/webhook/create.tsx secretTitle": {
    at: () => "/settings/webhooks",
    go: async (page) => {
      const opener = await press(page, "Add a webhook…");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Address").fill("https://93.184.216.34/shown-once");
      await dialog.getByLabel("policy.updated").check();
      await dialog.locator("button[type=submit]").click();
      return opener;
    },
    showsOnce: true,
  },
  "page/webhook/deliveries.tsx open": {
    at: ({ webhook }) => `/settings/webhooks/${webhook}`,
    go: async (page) => {
      const row = page.getByRole("table", { name: "Deliveries" }).getByRole("button").first();
      await row.click();
      return row;
    },
  },
  "page/webhook/webhook.tsx secretTitle": {
    at: ({ webhook }) => `/settings/webhooks/${webhook}`,
    go: (page) => pressBoth(page, "Rotate the secret…", "Rotate"),
    showsOnce: true,
  },
  // The last, since the other pages are tried on the plan that has everything.
  "page/billing/plans.tsx cancelTitle": {
    at: () => "/settings/billing",
    go: async (page, driver) => {
      await buyGrowth(page, driver);
      return press(page, "Cancel the subscription…");
    },
  },
  "page/billing/plans.tsx changeTitle": {
    at: () => "/settings/billing",
    go: async (page, driver) => {
      await buyGrowth(page, driver);
      return press(page, "Change to Enterprise…");
    },
  },
  // The last: a second factor stays, and nobody signs in as its owner after it.
  "page/account/second-factor.tsx renewTitle": {
    at: "account",
    as: "administrator",
    go: async (page) => {
      await setUpFactor(page);
      await page.getByRole("button", { name: "I have stored it" }).click();
      return press(page, "Renew the recovery codes…");
    },
  },
};
