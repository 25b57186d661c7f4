// A real browser, driven by the DevTools protocol: https://chromedevtools.github.io/devtools-protocol/. It is whichever
// Chromium is installed; tests that need one are skipped without it, unless REQUIRE_BROWSER says that this is a
// failure.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { eventually } from "../eventually.ts";
import { DevTools } from "./devtools.ts";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** The program of a browser; undefined when none is installed. */
export function findBrowser(): string | undefined {
  const { CONSOLE_TEST_BROWSER: own, REQUIRE_BROWSER: isRequired, PATH = "" } = process.env;
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const found = own || places.find(isProgram);
  if (found === undefined && isRequired) throw new Error("no browser is installed; apt-get install chromium");
  return found;
}

/** A running browser. */
export interface Browser {
  /** A page of its own, with no cookies and no storage. */
  newPage(): Promise<BrowserPage>;
  close(): Promise<void>;
}

/** What assistive technology finds on a page. */
export interface Named {
  readonly role: string;
  readonly name: string;
}

/** A tab, with what happened in it. */
export interface BrowserPage {
  /** Addresses that were asked for, in their order; those of the page itself have no part after "#". */
  readonly requests: readonly string[];
  /** Uncaught errors, refusals by the page's policy, dialogs. */
  readonly troubles: readonly string[];
  open(url: string): Promise<void>;
  /** Switches scripts off, for the pages that are opened from now on. */
  withoutScripts(): Promise<void>;
  /** Everything with a role and a name. */
  tree(): Promise<Named[]>;
  /** Waits for the button or link of this name, goes to it and presses Enter. */
  press(name: string | RegExp): Promise<void>;
  /** Waits until the page shows this. Returns all of its text. */
  shows(text: string | RegExp): Promise<string>;
  /** The value of an expression. */
  evaluate(expression: string): Promise<unknown>;
}

/** Starts a browser. */
export async function startBrowser(program: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "policy-guard-browser-"));
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const child = spawn(
    program,
    ["--headless=new", "--remote-debugging-port=0", "--disable-gpu", "--disable-dev-shm-usage", ...root].concat([
      "--no-first-run",
      "--disable-background-networking",
      `--user-data-dir=${profile}`,
      "about:blank",
    ]),
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const devTools = await DevTools.connect(await addressOf(child));
  return {
    newPage: () => openPage(devTools),
    async close() {
      const exited = once(child, "exit");
      await devTools.send("Browser.close");
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await exited;
      clearTimeout(late);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stderr === null) throw new Error("the browser has no standard error");
    createInterface({ input: child.stderr }).on("line", (line) => {
      const [, url] = /^DevTools listening on (ws:\S+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the browser ended with ${code}`)));
  });
}

interface AccessibleNode {
  readonly ignored: boolean;
  readonly backendDOMNodeId?: number;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
}

async function openPage(devTools: DevTools): Promise<BrowserPage> {
  const { browserContextId } = await devTools.send("Target.createBrowserContext");
  const { targetId } = await devTools.send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await devTools.send("Target.attachToTarget", { targetId, flatten: true });
  const requests: string[] = [];
  const troubles: string[] = [];
  const send = (method: string, params: object = {}) => devTools.send(method, params, String(sessionId));
  devTools.listen(String(sessionId), (method, params) => {
    if (method === "Network.requestWillBeSent") requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown") troubles.push(params.exceptionDetails.text);
    if (method === "Log.entryAdded" && params.entry.level === "error") troubles.push(params.entry.text);
    if (method === "Page.javascriptDialogOpening") {
      troubles.push(`a dialog: ${params.message}`);
      void send("Page.handleJavaScriptDialog", { accept: false });
    }
  });
  for (const domain of ["Page", "Runtime", "Log", "Network", "DOM", "Accessibility"]) await send(`${domain}.enable`);
  const nodes = async (): Promise<AccessibleNode[]> => (await send("Accessibility.getFullAXTree")).nodes;
  const evaluate = async (expression: string): Promise<unknown> =>
    (await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true })).result.value;
  return {
    requests,
    troubles,
    evaluate,
    async open(url) {
      // The same page with another key is another page, not a jump within it.
      await send("Page.navigate", { url: "about:blank" });
      await send("Page.navigate", { url });
    },
    withoutScripts: async () => void (await send("Emulation.setScriptExecutionDisabled", { value: true })),
    tree: async () =>
      (await nodes())
        .filter(({ ignored, name }) => !ignored && (name?.value ?? "") !== "")
        .map(({ role, name }) => ({ role: role?.value ?? "", name: name?.value ?? "" })),
    async press(name) {
      const found = await eventually(async () => {
        const wanted = (await nodes()).find(
          (node) => ["button", "link"].includes(node.role?.value ?? "") && isLike(node.name?.value ?? "", name),
        );
        if (wanted?.backendDOMNodeId === undefined) throw new Error(`nothing to press is called ${name}`);
        await send("DOM.focus", { backendNodeId: wanted.backendDOMNodeId });
        return true;
      });
      if (!found) return;
      const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" };
      await send("Input.dispatchKeyEvent", { type: "keyDown", ...key });
      await send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
    },
    shows: (text) =>
      eventually(async () => {
        const shown = String(await evaluate("document.body.innerText"));
        if (!(typeof text === "string" ? shown.includes(text) : text.test(shown)))
          throw new Error(`the page does not show ${text}: ${shown}`);
        return shown;
      }),
  };
}

function isLike(name: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? name === wanted : wanted.test(name);
}
