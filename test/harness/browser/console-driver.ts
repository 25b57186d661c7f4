// The built console in a browser, against a real control plane: what the tests of its pages share.

import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import axe from "axe-core";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { startTestControlPlane, type TestControlPlane } from "../process/control-plane.ts";
import type { Person } from "../vector/person.ts";
import { createWorld, type MemberPersona, type World } from "../vector/world.ts";
import { startBrowser } from "./browser.ts";

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Longer than the first analysis takes on a busy machine, whose process starts with it. */
const patienceMs = 90_000;

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Builds the console if it is old, and starts the product and the browser. `env` are variables of the product. */
export async function startConsole(env: Readonly<Record<string, string>> = {}): Promise<ConsoleDriver> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, "scripts", "console.ts")]);
  const urls = await createTestDatabase();
  const start = () => startTestControlPlane({ urls, env: { ...env, CONSOLE_FOLDER: stdout.trim() } });
  const plane = await start();
  const browser = await startBrowser();
  return new ConsoleDriver({ plane, browser, start }, await createWorld(plane.database));
}

interface Parts {
  readonly plane: TestControlPlane;
  readonly browser: Browser;
  /** Starts the product on the same database. */
  readonly start: () => Promise<TestControlPlane>;
}

/** What a test does with the console, one context at a time. */
export class ConsoleDriver {
  readonly world: World;
  readonly #browser: Browser;
  readonly #start: Parts["start"];
  readonly #urls: TestDatabase;
  #plane: TestControlPlane;
  #context: BrowserContext | undefined;
  #opened = 0;
  /** What no page may do: errors of scripts, calls of other origins, breaches of the document's policy. */
  #faults: string[] = [];
  /** Origins that the test leads the browser to; what their pages do is theirs. */
  #visited: readonly string[] = [];
  readonly #calls = new WeakMap<Page, Calls>();

  constructor({ plane, browser, start }: Parts, world: World) {
    this.#plane = plane;
    this.#urls = plane.urls;
    this.#browser = browser;
    this.#start = start;
    this.world = world;
  }

  /** The product, as it runs now. */
  get plane(): TestControlPlane {
    return this.#plane;
  }

  /** Stops the product. Returns what starts it again, on the same port where the configuration names one. */
  async stopPlane(): Promise<() => Promise<void>> {
    await this.#plane.stop();
    return async () => {
      this.#plane = await this.#start();
    };
  }

  /** The context of the test. */
  get context(): BrowserContext {
    if (this.#context === undefined) throw new Error("no page is open");
    return this.#context;
  }

  /** The address of a page of the organization. */
  at(path: string): string {
    return `/o/${this.world.orgId}${path}`;
  }

  /** Says that the next pages lead to another origin, such as that of an identity provider. */
  willVisit(origin: string): void {
    this.#visited = [origin];
  }

  /** Opens an address in a fresh context. */
  async open(path = "/", size?: Size): Promise<Page> {
    const page = await this.#openContext(size);
    await page.goto(this.plane.baseUrl + path);
    return page;
  }

  async #openContext(size: Size = { width: 1280, height: 800 }): Promise<Page> {
    this.#opened += 1;
    // Each context is somebody else's, with an address of their own: addresses may sign in only so often.
    const extraHTTPHeaders = { "x-forwarded-for": `198.51.100.${this.#opened % 250}` };
    this.#context = await this.#browser.newContext({ viewport: size, extraHTTPHeaders });
    this.#context.setDefaultTimeout(patienceMs);
    this.#context.on("page", (page) => this.#calls.set(page, new Calls(page)));
    this.#faults = [];
    const page = await this.#context.newPage();
    this.#watch(page);
    return page;
  }

  /**
   * Opens an address as this person, in a session of this context alone. It begins without the page of sign-in, which
   * has its own tests.
   */
  async openAs(persona: MemberPersona, path: string, size?: Size): Promise<Page> {
    const page = await this.#openContext(size);
    const { email, password } = await this.world.person(persona);
    // Whose answer sets the cookie of the context.
    const answer = await this.context.request.post(
      `${this.plane.baseUrl}/policyguard.control.v1.AccountService/Login`,
      {
        headers: { "x-policy-guard-console": "1" },
        data: { email, password, asCookie: true },
      },
    );
    if (!answer.ok()) throw new Error(`no sign-in: ${await answer.text()}`);
    await page.goto(this.plane.baseUrl + path);
    await page.locator("#content h1").waitFor();
    return page;
  }

  /** Fills in the page of sign-in. */
  async signIn(page: Page, { email, password }: Person): Promise<void> {
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  /** Goes to another page of the organization, and waits until it is shown. */
  async go(page: Page, path: string): Promise<void> {
    await page.goto(this.plane.baseUrl + this.at(path));
    await page.locator("#content h1").waitFor();
  }

  /** Ends a test: closes its pages, and says what they did that no page may do. A failed one leaves pictures. */
  async end({ name, hasFailed }: { readonly name: string; readonly hasFailed: boolean }): Promise<readonly string[]> {
    if (hasFailed) await this.#picture(name);
    await this.#context?.close();
    this.#context = undefined;
    this.#visited = [];
    return this.#faults;
  }

  /** Ends product and browser. */
  async stop(): Promise<void> {
    await this.#browser.close();
    await this.plane.stop();
    await this.#urls.drop();
  }

  /**
   * Waits until the page has all that it asks for: no call is open, and showing what the last ones brought asked for
   * nothing more.
   */
  async loaded(page: Page): Promise<void> {
    const calls = this.#calls.get(page);
    if (calls === undefined) throw new Error("a page that this driver did not open");
    for (let begun = -1; begun !== calls.begun; ) {
      await calls.done();
      begun = calls.begun;
      await page.evaluate(isIdle);
    }
  }

  /**
   * Ends the session while a call of an action is on its way. Other calls that the page makes before and after change
   * nothing: the action has been done by then.
   */
  async endSessionDuring(page: Page, call: string, act: () => Promise<void>): Promise<void> {
    const ended = Promise.withResolvers<void>();
    await page.route(call, (route) => ended.promise.then(() => route.continue()), { times: 1 });
    const asked = page.waitForRequest(call);
    await act();
    await asked;
    await this.context.clearCookies();
    ended.resolve();
  }

  /** What is wrong with a page's accessibility and width, once it has loaded. */
  async flawsOf(page: Page): Promise<readonly string[]> {
    await this.loaded(page);
    const width = page.viewportSize()?.width ?? 0;
    const content = await page.evaluate(() => document.querySelector("main")?.scrollWidth ?? 0);
    const beyond = content > width ? [`the content is ${content} wide, the window ${width}`] : [];
    return [...beyond, ...(await violations(page))];
  }

  /** Shows the page in a theme and a width. CONSOLE_PICTURES names a folder that gets a picture of it. */
  async show(
    page: Page,
    { colorScheme, width }: { readonly colorScheme: "light" | "dark"; readonly width: number },
  ): Promise<void> {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const folder = process.env.CONSOLE_PICTURES;
    if (folder === undefined) return;
    await this.loaded(page);
    const name = page
      .url()
      .replace(this.plane.baseUrl + this.at(""), "")
      .replace(/[\da-f]{8}-[-\da-f]{27}/g, "")
      .replace(/\W+/g, "-");
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
  }

  #watch(page: Page): void {
    // A person who is asked whether to leave a half-typed form leaves it; the pages have no other such dialogs.
    page.on("dialog", (dialog) => dialog.accept());
    page.on("pageerror", (error) => this.#faults.push(String(error)));
    page.on("console", (message) => {
      if (this.#visited.some((origin) => page.url().startsWith(origin))) return;
      // The browser itself notes each answer that is an error; pages are told of those by their own.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        this.#faults.push(message.text());
    });
    page.on("request", (request) => {
      const isOwn = request.url().startsWith(this.plane.baseUrl) || /^(?:data|blob):/.test(request.url());
      const isVisit = this.#visited.some((origin) =>
        [request.url(), page.url()].some((each) => each.startsWith(origin)),
      );
      if (!isOwn && !isVisit) this.#faults.push(request.url());
    });
  }

  async #picture(name: string): Promise<void> {
    for (const [at, page] of (this.#context?.pages() ?? []).entries()) {
      const path = join(tmpdir(), `console-${name.replace(/\W+/g, "-")}-${at}.png`);
      await page.screenshot({ path });
      console.log(`what the page showed: ${path}`);
    }
  }
}

/** What a page asks for. */
class Calls {
  /** How many there were. */
  begun = 0;
  readonly #open = new Set<Request>();
  #whenDone = Promise.withResolvers<void>();

  constructor(page: Page) {
    page.on("request", (request) => {
      if (this.#open.size === 0) this.#whenDone = Promise.withResolvers();
      this.begun += 1;
      this.#open.add(request);
    });
    for (const event of ["requestfinished", "requestfailed"] as const)
      page.on(event as "requestfinished", (request) => {
        this.#open.delete(request);
        if (this.#open.size === 0) this.#whenDone.resolve();
      });
  }

  /** Waits until none is open. */
  async done(): Promise<void> {
    if (this.#open.size > 0) await this.#whenDone.promise;
  }
}

/** Runs in the page: waits until the last answers have been taken in and shown, and nothing is left to do. */
async function isIdle(): Promise<void> {
  // Scripts that have arrived are compiled beside the page, which meanwhile has nothing to do.
  for (let frame = 0; frame < 4; frame++) await new Promise((shown) => requestAnimationFrame(shown));
  await new Promise<unknown>((idle) => requestIdleCallback(idle));
}

/**
 * What axe finds by WCAG 2.0 to 2.2, A and AA. Its script is run by the browser's debugger, beside the page's policy.
 */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  // Telling what is right, element by element, would take it twice as long as looking.
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  const results = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
