// Every route of the console, in an organization with one of everything: hostile texts, accessibility, the states that
// a page has besides its content, and what each role is offered. A route that is added to the console and not named
// here makes the first test fail.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { create, hasOption, toBinary } from "@bufbuild/protobuf";
import type { Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { GetPermissionsResponseSchema } from "../../gen/policyguard/control/v1/team_service_pb.ts";
import { audit } from "../../gen/policyguard/options/v1/options_pb.ts";
import { isAssurance, isSampled, reportProgress, reportSample } from "../../scripts/assurance/sample.ts";
import { controlServices } from "../../src/control-services.ts";
import { browserPath } from "../harness/browser/browser.ts";
import { type ConsoleDriver, startConsole } from "../harness/browser/console-driver.ts";
import { type Filled, fillOrganization, hostile } from "../harness/browser/filled.ts";
import { type Place, places } from "../harness/browser/places.ts";
import { withWorker } from "../harness/browser/worker.ts";
import { createWorld, type World } from "../harness/vector/world.ts";

/** Those outside of an organization, which test/console/people.test.ts looks at. */
const outside = [
  ..."/ /sign-in /sign-in/sso /sign-up /register/confirm /password-reset /password-reset/confirm".split(" "),
  ..."/accept /join/$org /welcome /account".split(" "),
];

/** Those of them that somebody without a session is sent away from. */
const needSession = ["/join/$org", "/welcome", "/account"];

/** The pages that the suite also looks at in the dark, on a phone and as everybody; assurance looks at all. */
const everybodys = ["/policies/$policy", "/traces", "/environments", "/replays", "/traces/$trace"];

/** Lists, through which keys move; so they do on every other page that has a table. */
const lists = [
  ..."/policies /packs /detectors /lists /schemas /languages /environments /fleet /agents /traces /replays".split(" "),
  ..."/alerts /datasets /datasets/$dataset /benchmarks /benchmarks/$run /calibrations /settings/team".split(" "),
  ..."/settings/tokens /settings/keys /settings/webhooks /settings/evidence".split(" "),
];

test("every route of the console is named here", () => {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "../../console/app");
  const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const made = sources.flatMap((source) => source.match(/= createRoute\(/g) ?? []);
  const paths = sources.flatMap((source) => [...source.matchAll(/^ {2}path: "([^"]+)"/gm)].map(([, path]) => path));
  const inOne = sources.flatMap((source) =>
    [...source.matchAll(/createRoute\(\{ .*path: "([^"]+)"/g)].map(([, p]) => p),
  );
  // The frame, and what leads on to a page.
  const pageless = ["/o/$org", "/environments/$project/$env"];
  const found = [...paths, ...inOne].filter((path) => !pageless.includes(path ?? ""));
  expect(found.length + pageless.length).toBe(made.length);
  expect(found.toSorted()).toEqual([...Object.keys(places), ...outside].toSorted());
});

/** Methods that change something, as calls name them. */
const changing = new Set(
  controlServices.flatMap(({ name, methods }) =>
    methods.flatMap((method) => (hasOption(method, audit) ? [`${name}/${method.name}`] : [])),
  ),
);

/** A call of the API; the frame's own are GetMe and GetPermissions, without which there is no page. */
const calls = /\/policyguard\.control\.v1\.(?!AccountService\/GetMe|TeamService\/GetPermissions)/;

type Answer = "pass" | "hold" | "wait" | "refuse";

/** Decides what becomes of the calls that a page makes. */
class Gate {
  answer: Answer = "pass";
  /** Alone this method is refused. */
  only: string | undefined;
  readonly asked = new Set<string>();
  /** Whether a call was answered with a failure. */
  hasFailed = false;
  #held: Route[] = [];

  async install(page: Page): Promise<void> {
    await page.route(calls, (route) => this.#meet(route));
  }

  async #meet(route: Route): Promise<void> {
    const method = new URL(route.request().url()).pathname.slice("/policyguard.control.v1.".length);
    this.asked.add(method);
    if (this.answer === "hold") this.#held.push(route);
    else if (this.answer === "pass" && this.only !== method) await route.fallback();
    else await this.#fail(route);
  }

  async #fail(route: Route): Promise<void> {
    this.hasFailed = true;
    const isRefused = this.answer === "refuse";
    await route.fulfill({
      status: isRefused ? 403 : 429,
      contentType: "application/json",
      body: JSON.stringify(
        isRefused ? { code: "permission_denied", message: refused } : { code: "resource_exhausted", message: later },
      ),
    });
  }

  /** What was held gets this answer from now on, as do later calls. */
  async release(answer: Exclude<Answer, "hold">): Promise<void> {
    this.answer = answer;
    for (const route of this.#held.splice(0)) await (answer === "pass" ? route.fallback() : this.#fail(route));
  }
}

interface Look {
  readonly colorScheme: "light" | "dark";
  readonly width: number;
}

const looks: readonly Look[] = [
  { colorScheme: "light", width: 1440 },
  { colorScheme: "dark", width: 390 },
];

const allLooks = ([390, 1440] as const).flatMap((width) => [
  { colorScheme: "light", width } as const,
  { colorScheme: "dark", width } as const,
]);

/** What an assurance run has looked at. */
const tried = { looks: 0, flawed: 0 };

/** What the browser keeps of the page, in every place that scripts can read. */
async function storedThere() {
  const kept = [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)] as const;
  return [...kept, (await indexedDB.databases()).length, (await caches.keys()).length];
}

const refused = "only somebody else may do this";
const later = "too many calls at once";

describe.skipIf(browserPath === undefined)("every route, in a browser (needs chromium)", () => {
  let driver: ConsoleDriver;
  let filled: Filled;
  let empty: World;

  beforeAll(async () => {
    driver = await startConsole();
    filled = await fillOrganization(driver.plane, driver.world);
    empty = await createWorld(driver.plane.database);
  });
  afterEach(async ({ task }) => {
    expect(await driver.end({ name: task.name, hasFailed: task.result?.state === "fail" })).toEqual([]);
  });
  afterAll(async () => {
    await driver?.stop();
    reportSample({
      n: tried.looks,
      failures: tried.flawed,
      figures: { routes: Object.keys(places).length + outside.length },
    });
  });

  const content = (page: Page) => page.locator("#content");

  /** Goes to a place and waits until everything has been loaded. */
  async function visit(page: Page, { at }: Place): Promise<void> {
    await driver.go(page, at(filled, driver.world));
    await driver.loaded(page);
  }

  test("each shows hostile texts as texts, has one heading and a title, is accessible, also by keys, and reflows", async () => {
    const page = await driver.openAs("owner", driver.at("/"), { width: 1440, height: 900 });
    const found: unknown[] = [];
    const titles = new Map<string, string>();
    const movedThrough: string[] = [];
    for (const [route, place] of Object.entries(places)) {
      await visit(page, place);
      if (place.isOurs !== true) await expect.poll(() => shownHostile(page), { message: route }).toBe(true);
      const seen = await page.evaluate(() => ({
        title: document.title,
        headings: document.querySelectorAll("h1").length,
        images: document.querySelectorAll("img").length,
      }));
      expect({ route, ...seen }).toEqual({
        route,
        title: expect.stringMatching(/ · Policy Guard$/),
        headings: 1,
        images: 0,
      });
      if (await hasRows(page)) {
        await page.keyboard.press("j");
        await expect.poll(() => isInRow(page), { message: route }).toBe(true);
        movedThrough.push(route);
      }
      for (const flaw of await driver.flawsOf(page)) found.push(`${route}: ${flaw}`);
      await page.setViewportSize({ width: 320, height: 900 });
      const width = await page.evaluate(() => document.querySelector("main")?.scrollWidth ?? 0);
      if (width > 320) found.push(`${route}: ${width} wide in a window of 320`);
      await page.setViewportSize({ width: 1440, height: 900 });
      titles.set(route, seen.title);
    }
    expect(found).toEqual([]);
    expect(movedThrough).toEqual(expect.arrayContaining(lists));
    // Titles lead back through the history of the browser and its tabs, so each says where one is.
    const ofRoutes = [...titles].filter(([route]) => !route.includes("$"));
    expect(new Set(ofRoutes.map(([, title]) => title)).size).toBe(ofRoutes.length);
    expect(await page.evaluate(storedThere)).toEqual(["", "{}", "{}", 0, 0]);
  });

  /** Whether the page lists something; a matrix of outcomes is read by its cells. */
  function hasRows(page: Page): Promise<boolean> {
    return page.evaluate(() => {
      const rows = document.querySelectorAll("#content :is(table:not([class*=matrix]) > tbody > tr, ol > li > header)");
      return [...rows].some((row) => row.checkVisibility());
    });
  }

  function isInRow(page: Page): Promise<boolean> {
    return page.evaluate(() => document.activeElement?.matches("tbody > tr, ol > li") ?? false);
  }

  /** Whether the page itself, and not its frame, shows the text, be it in a field or in the editor. */
  function shownHostile(page: Page): Promise<boolean> {
    return page.evaluate(() => {
      const wanted = "<img src=x onerror";
      const texts = (root: ParentNode): boolean =>
        (root.textContent ?? "").includes(wanted) ||
        [...root.querySelectorAll("*")].some(
          (each) =>
            (each.shadowRoot !== null && texts(each.shadowRoot)) ||
            ("value" in each && String(each.value).includes(wanted)),
        );
      const main = document.querySelector("#content");
      return main !== null && texts(main);
    });
  }

  test("each document has the headers that keep others out, and nothing else is a document", async () => {
    const addresses = [...Object.values(places).map(({ at }) => driver.at(at(filled, driver.world))), ...outside];
    for (const address of addresses) {
      const answer = await fetch(driver.plane.baseUrl + address.replace("$org", "x"), { redirect: "manual" });
      expect({ address, status: answer.status, headers: Object.fromEntries(answer.headers) }).toMatchObject({
        ...{ address, status: 200 },
        headers: {
          "content-security-policy": expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self';/),
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-resource-policy": "same-origin",
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "permissions-policy": "camera=(), microphone=(), geolocation=()",
        },
      });
    }
  });

  test("the log of evidence tells of a fork, of the epoch after a restore, and of a late signature", async () => {
    const page = await driver.openAs("administrator", driver.at("/"));
    await driver.go(page, "/settings/evidence");
    const forks = page.getByRole("region", { name: "1 report of a fork" });
    await forks.getByText(`reported by runtime/${filled.forkedBy}`).waitFor();
    await page.getByRole("heading", { name: "Restored from a backup" }).waitFor();
    await page
      .getByText(/^Epoch \d+ began after \d+ entr/)
      .getByText(hostile)
      .waitFor();
    const late = page.getByText(/^The newest checkpoint is old although there are newer entries/);
    expect(await late.count()).toBe(0);
    // Its entries of now are unsigned, and for this page it is a quarter of an hour later.
    await page.clock.setSystemTime(Date.now() + 900_000);
    await driver.go(page, "/settings/evidence");
    await late.waitFor();
    for (const look of looks) {
      await driver.show(page, look);
      expect(await driver.flawsOf(page)).toEqual([]);
    }
    await withWorker(driver.plane, driver.world.orgId, (worker) => worker.signLog());
    await driver.go(page, "/settings/evidence");
    await forks.waitFor();
    await driver.loaded(page);
    expect(await late.count()).toBe(0);
    await forks.getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: `Entry ${Number(filled.fork).toLocaleString("en")}` }).waitFor();
    await page.getByText("kept").first().waitFor();
  });

  test("each says that it loads, why it failed, that it was refused, and comes up when asked again", async () => {
    const page = await driver.openAs("owner", driver.at("/"));
    const gate = new Gate();
    await gate.install(page);
    for (const [route, { at, hasNoState }] of Object.entries(places)) {
      if (hasNoState || !isSampled(`states ${route}`, 0.35)) continue;
      gate.answer = "hold";
      await page.goto(driver.plane.baseUrl + driver.at(at(filled, driver.world)));
      await content(page).getByRole("status", { name: "Loading…" }).first().waitFor();
      await gate.release("wait");
      await content(page).getByRole("alert").filter({ hasText: later }).first().waitFor();
      gate.answer = "refuse";
      await tryAgain(page);
      await content(page).getByRole("alert").filter({ hasText: refused }).first().waitFor();
      await gate.release("pass");
      await expect
        .poll(
          async () => {
            await tryAgain(page);
            const waits = content(page).getByRole("status", { name: "Loading…" });
            return [route, await content(page).getByRole("alert").count(), await waits.count()];
          },
          { message: route },
        )
        .toEqual([route, 0, 0]);
    }
  });

  /** Presses every button that tries again; pressing one may take away the next. */
  async function tryAgain(page: Page): Promise<void> {
    await page.evaluate(() => {
      for (const button of document.querySelectorAll("button")) if (button.textContent === "Try again") button.click();
    });
  }

  test("when one of the calls fails, the page says so and shows the rest", async () => {
    const page = await driver.openAs("owner", driver.at("/"));
    const gate = new Gate();
    await gate.install(page);
    for (const [route, place] of Object.entries(places)) {
      if (!isSampled(`partial ${route}`, 0.1)) continue;
      gate.asked.clear();
      await visit(page, place);
      const asked = [...gate.asked];
      for (const only of asked) {
        Object.assign(gate, { only, hasFailed: false });
        await page.goto(driver.plane.baseUrl + driver.at(place.at(filled, driver.world)));
        await driver.loaded(page);
        // What a page asks for may follow from what it got, such as the next trace to review.
        if (!gate.hasFailed) continue;
        // It may be in a part that is folded up.
        const told = page.locator("#content [role=alert]").filter({ hasText: later });
        await told.first().waitFor({ state: "attached" });
        if (asked.length > 1) await content(page).getByRole("heading", { level: 1 }).waitFor();
      }
      gate.only = undefined;
    }
  });

  test("in an organization that has nothing yet, each list says what would be there, and where more is written", async () => {
    const page = await driver.open(`/o/${empty.orgId}`);
    await driver.signIn(page, await empty.person("owner"));
    await content(page).getByRole("heading", { level: 1, name: "Home" }).waitFor();
    for (const [path, title] of Object.entries(emptyTitles)) {
      if (!isSampled(`empty ${path}`, 0.5)) continue;
      await page.goto(`${driver.plane.baseUrl}/o/${empty.orgId}${path}`);
      await content(page)
        .getByRole("heading", { level: 2, name: title })
        .or(content(page).getByText(title))
        .first()
        .waitFor();
      if (described.includes(path)) await inReference(page).waitFor();
    }
    await page.goto(`${driver.plane.baseUrl}/o/${empty.orgId}/policies`);
    await inReference(page).click();
    // The operation is opened, and its body with it.
    await page.locator("#createPolicy").getByText("Request body").waitFor();
    expect(new URL(page.url()).pathname).toBe("/docs");
  });

  function inReference(page: Page) {
    return content(page).getByRole("link", { name: /^\w+ in the API reference$/ });
  }

  test.each(["viewer", "editor", "administrator", "owner"] as const)(
    "a %s is refused nothing on any of them, and finds no flaw, in the dark and on a phone as well",
    async (role) => {
      const page = await driver.openAs(role, driver.at("/"), { width: 390, height: 900 });
      const found: string[] = [];
      page.on("response", (response) => {
        if (response.status() === 401 || response.status() === 403) found.push(new URL(response.url()).pathname);
      });
      for (const [route, place] of Object.entries(places)) {
        if (!isAssurance() && !everybodys.includes(route)) continue;
        await visit(page, place);
        for (const look of isAssurance() ? allLooks : looks.slice(-1)) await lookAt(page, route, look, found);
      }
      expect(found).toEqual([]);
    },
  );

  test.runIf(isAssurance())("outside of an organization, no page has a flaw in any theme and width", async () => {
    const found: string[] = [];
    const signedOut = await driver.open("/sign-in");
    for (const path of outside.filter((each) => !needSession.includes(each))) {
      await signedOut.goto(driver.plane.baseUrl + path);
      await signedOut.locator("h1").first().waitFor();
      for (const look of allLooks) await lookAt(signedOut, path, look, found);
    }
    await signedOut.goto(`${driver.plane.baseUrl}/sign-in`);
    await driver.signIn(signedOut, await driver.world.person("owner"));
    await content(signedOut).locator("h1").waitFor();
    for (const path of needSession) {
      await signedOut.goto(driver.plane.baseUrl + path.replace("$org", driver.world.orgId));
      await signedOut.locator("h1").first().waitFor();
      for (const look of allLooks) await lookAt(signedOut, path, look, found);
    }
    expect(found).toEqual([]);
  });

  /** Shows the page in a theme and a width, and notes what is wrong with it. */
  async function lookAt(page: Page, route: string, look: Look, found: string[]): Promise<void> {
    await driver.show(page, look);
    const flaws = await driver.flawsOf(page);
    const told = flaws.map((flaw) => `${route}, ${look.colorScheme}, ${look.width}: ${flaw}`);
    found.push(...told);
    // A full run takes long, so that its findings are told as they come.
    if (isAssurance() && told.length > 0) console.log(told.join("\n"));
    tried.looks += 1;
    if (flaws.length > 0) tried.flawed += 1;
    reportProgress(tried.looks);
  }

  test("with no permission at all, no button changes anything or opens a form", async () => {
    const page = await driver.openAs("owner", driver.at("/"));
    const body = Buffer.from(toBinary(GetPermissionsResponseSchema, create(GetPermissionsResponseSchema)));
    await page.route(/TeamService\/GetPermissions/, (route) =>
      route.fulfill({ contentType: "application/proto", body }),
    );
    const changed: string[] = [];
    await page.route(calls, async (route) => {
      const method = new URL(route.request().url()).pathname.slice("/policyguard.control.v1.".length);
      if (changing.has(method)) changed.push(method);
      await (changing.has(method) ? route.abort() : route.fallback());
    });
    for (const [route, place] of Object.entries(places)) {
      if (!isSampled(`no permission ${route}`, 0.3)) continue;
      await visit(page, place);
      const buttons = content(page).getByRole("button");
      for (let at = 0; at < (await buttons.count()); at++) {
        const name = await buttons.nth(at).innerText();
        await buttons.nth(at).evaluate((button) => (button as HTMLElement).click());
        const forms = await page.getByRole("dialog").locator("form").count();
        if (forms > 0) changed.push(`${name} opens a form`);
        if (new URL(page.url()).pathname !== driver.at(place.at(filled, driver.world)).replace(/\?.*/, "")) break;
      }
      expect({ route, changed }).toEqual({ route, changed: [] });
    }
  });
});

/** The lists among them that say where more is written. */
const described = [
  ..."/policies /lists /schemas /fleet /agents /traces /review /replays /analytics /alerts /datasets".split(" "),
  ..."/benchmarks /calibrations /settings/webhooks".split(" "),
];

/** What an organization that has nothing yet sees on the pages of things that people make. */
const emptyTitles: Readonly<Record<string, string>> = {
  "/": "From here to a blocked attack",
  "/policies": "No policy yet",
  "/playground": "Nothing is active in this environment",
  "/lists": "No list yet",
  "/schemas": "No schema yet",
  "/detectors": "None yet.",
  "/environments": "Nothing published yet.",
  "/fleet": "No runtime has reported yet",
  "/agents": "No agent yet",
  "/traces": "No trace yet",
  "/review": "Nothing waits for you",
  "/replays": "No replay yet",
  "/analytics": "Nothing was evaluated yet",
  "/alerts": "No alert rule yet",
  "/datasets": "No dataset yet",
  "/benchmarks": "No benchmark yet",
  "/calibrations": "No calibration yet",
  "/settings/keys": "No key yet",
  "/settings/webhooks": "No webhook yet",
  "/settings/sso": "No domain yet.",
  "/settings/scim": "Provisioning",
  "/settings/evidence": "Nothing is signed yet.",
  "/settings/billing": "No invoice yet.",
};
