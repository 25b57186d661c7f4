// docs/tutorial.md as somebody follows it: its commands in one shell, from a folder like a checkout, against an
// installation and the stand-in for a model; what they print has to be what the page says. Before it
// docs/first-calls.md, whose policy is that of the first start.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, startBrowser } from "../harness/browser/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { type Model, startModel } from "../harness/model.ts";
import { type InstalledPackage, installPacked, packModules } from "../harness/packed.ts";
import { makeCheckout, type PageStep, patternOf, playCommands, stepsOf } from "../harness/played-page.ts";
import { startTestControlPlane } from "../harness/process/control-plane.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/tutorial.md"), "utf8");
// They run until they are stopped, so the test has both already.
const terminals = ["npm start\n", "node examples/model/server.mjs\n"];

const steps = stepsOf(page);
const hasPython = isThere("python3");

let installation: Installation;
let model: Model;
let client: InstalledPackage;
let checkout: string;
/** The tarball that `npm install openai` gets. */
let openai: string | undefined;

beforeAll(async () => {
  [installation, model, client] = await Promise.all([startInstallation(), startModel(), installPacked("client")]);
  const starter = readFileSync(join(root, "examples/policies/starter.yaml"), "utf8");
  await installation.createPolicy(starter);
  await installation.publish();
  const runtime = await installation.startRuntime();
  await eventually(async () => {
    const headers = { authorization: `Bearer ${installation.token}` };
    const loaded = await fetch(`http://127.0.0.1:${runtime.port}/v1/evaluate/bundle`, { headers });
    expect(await loaded.json()).toMatchObject({ bundle: { version: 1 } });
  });
  [openai] = await packModules(client.folder, ["openai"]);
  checkout = join(realpathSync(mkdtempSync(join(client.folder, "tutorial-"))), "checkout");
  makeCheckout(checkout, ["bin", "examples"], { installation, runtimePort: runtime.port });
}, 600_000);

afterAll(async () => {
  await model.stop();
  await installation.stop();
  client.remove();
});

function isThere(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

// npm gets packages from tarballs instead of its registry. Waiting ends when the traces have come, however long that
// takes.
const prelude = () => `
npm() {
  if [ "$1" = run ]; then mkdir -p build/packages && cp ${client.tarball.file} build/packages/; return; fi
  shift
  command npm install --offline --ignore-scripts --no-audit --no-fund ${client.folder}/[bc]*.tgz "\${@/#openai/${openai}}"
}
${hasPython ? "" : "python3() { :; }"}
sleep() {
  while [ "$(curl -s "$POLICY_GUARD_URL/v1/orgs/$ORG_ID/traces?agent_id=shop-assistant&outcome=BLOCK" \\
    -H "Authorization: Bearer $POLICY_GUARD_TOKEN" | node -p "JSON.parse(require('fs').readFileSync(0)).total")" -lt ${hasPython ? 6 : 3} ]; do
    command sleep 0.1
  done
}
`;

/** What the steps print, one after the other in one shell. */
function play(): Promise<readonly string[]> {
  const { host } = new URL(model.url);
  const played = steps.map(({ commands }) => (terminals.includes(commands) ? "" : commands));
  const commands = played.map((each) => each.replaceAll("127.0.0.1:8090", host));
  return playCommands(checkout, commands, prelude());
}

describe("docs/first-calls.md", () => {
  it("does what it says, step by step", async () => {
    const calls = stepsOf(readFileSync(join(root, "docs/first-calls.md"), "utf8"));
    // The others start what this test has, or are tests of their own.
    const played = calls.map(({ commands }) => (/npm (start|run)/.test(commands) ? "" : commands));
    const traces = `curl -s "$BASE_URL/v1/orgs/$ORG_ID/traces" -H "Authorization: Bearer $ADMIN_TOKEN"`;
    const waiting = `sleep() {
      for attempt in $(seq 600); do [ "$(${traces} | show answer.total)" = 2 ] && return; command sleep 0.1; done
    }\n`;
    const printed = await playCommands(checkout, played, waiting);
    const compared = calls.filter((step) => step.printed !== undefined);
    expect(compared).toHaveLength(4);
    for (const step of compared) expect(printed[calls.indexOf(step)]).toMatch(patternOf(step.printed ?? ""));
  }, 600_000);
});

describe("docs/tutorial.md", () => {
  let said: readonly string[];
  beforeAll(async () => {
    said = await play();
    // Some forty programs are started.
  }, 600_000);

  /** Compares what was printed in the steps that fit with what the page says. */
  function compare(fits: (step: PageStep) => boolean): void {
    const compared = steps.filter((step) => step.printed !== undefined && fits(step));
    expect(compared.length).toBeGreaterThan(1);
    for (const step of compared) expect(said[steps.indexOf(step)]).toMatch(patternOf(step.printed ?? ""));
  }

  it("does what it says, step by step", () => {
    expect(steps.filter(({ commands }) => terminals.includes(commands))).toHaveLength(2);
    compare(({ commands }) => !commands.includes("python3"));
    // The model never saw the address.
    const told = JSON.stringify(model.requests);
    expect(told).toContain("[EMAIL_1]");
    expect(told).not.toContain("ada@lovelace.dev");
  });

  it.skipIf(!hasPython)("does the same in Python, where python3 is installed", () => {
    compare(({ commands }) => commands.includes("python3"));
  });

  it.skipIf(browserPath === undefined)("shows it in the console, where a browser is installed", async () => {
    const at = steps.findIndex(({ commands }) => commands.includes("/traces?outcome=BLOCK&agent="));
    const { pathname, search } = new URL(said[at]?.trim() ?? "");
    const folder = execFileSync(process.execPath, [join(root, "scripts/console.ts")], { encoding: "utf8" }).trim();
    const env = { CONSOLE_FOLDER: folder, POLICY_GUARD_MASTER_KEY: installation.masterKey };
    const shown = await startTestControlPlane({ urls: installation.plane.urls, env });
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(90_000);
      await page.goto(shown.baseUrl + pathname + search);
      const { email, password } = await installation.world.person("owner");
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.locator("tbody a").first().click();
      const drawer = page.getByRole("complementary", { name: "Trace" });
      await drawer.getByText("discount", { exact: true }).first().waitFor();
      expect(await drawer.locator("pre, p, code, div").allInnerTexts()).not.toContain("WELCOME-42");
      for (const name of [/^\S* ?False positive$/, /^\S* ?Correct$/, /False positive → exemption/]) {
        expect(await drawer.getByRole("button", { name }).count()).toBe(1);
      }
      await drawer.getByRole("heading", { name: "Replay" }).waitFor();
    } finally {
      await browser.close();
      await shown.stop();
    }
  });

  it("shows rules that are those of the example", () => {
    const [, shown = ""] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];
    expect(readFileSync(join(root, "examples/tutorial/policies/shop.yaml"), "utf8")).toContain(shown);
  });
});
