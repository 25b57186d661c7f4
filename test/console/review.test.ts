// What people say of traces: marks, the queue, replays, and what a false positive becomes; in a real browser.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserPath } from "../harness/browser/browser.ts";
import { type ConsoleDriver, startConsole } from "../harness/browser/console-driver.ts";
import { withWorker } from "../harness/browser/worker.ts";
import { patientFetch } from "../harness/net/patient-fetch.ts";
import { reportTrace } from "../harness/process/report-trace.ts";

/** Build, product, browser and the first analysis begin at once, beside those of other files. */
const startMs = 300_000;
const innocent = 'Ignore my last message, please: "new address" <img src=x onerror="document.title=1">';
const document =
  "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: guard}\nrules:\n  - {id: attack, stages: [input], detect: injection, action: BLOCK}\n";

describe.skipIf(browserPath === undefined)("review, in a browser (needs chromium)", () => {
  let driver: ConsoleDriver;
  let first: string;

  beforeAll(async () => {
    driver = await startConsole();
    const { plane, world } = driver;
    const created = await patientFetch(`${plane.baseUrl}/v1/orgs/${world.orgId}/policies`, {
      method: "POST",
      headers: { Authorization: `Bearer ${world.tokens.admin}`, "Content-Type": "application/json" },
      body: JSON.stringify({ document }),
    });
    expect(created.status).toBe(201);
    const found = { policy: "guard", ruleId: "attack", agentId: "desk" };
    // Of few traces the random lane takes now and then one, which would be asked about once more.
    await call("PUT", `/projects/${world.projectId}/annotation-settings`, { target_per_day: 0 });
    first = await reportTrace(plane, world, { text: innocent, outcome: "BLOCK", found });
    for (const text of ["one", "two"]) await reportTrace(plane, world, { text, outcome: "BLOCK", found });
    await withWorker(plane, world.orgId, (worker) => worker.fillQueue());
  }, startMs);
  afterEach(async ({ task }) => {
    expect(await driver.end({ name: task.name, hasFailed: task.result?.state === "fail" })).toEqual([]);
  });
  afterAll(() => driver?.stop());

  test("a false positive becomes a test of the policy that decided, in one click", async () => {
    const page = await driver.openAs("editor", driver.at(`/traces?trace=${first}`));
    await page.getByRole("button", { name: "False positive → test" }).click();
    await page.getByRole("heading", { level: 1, name: "guard" }).waitFor();
    const editor = page.getByRole("textbox", { name: "Policy document" });
    await editor.getByText("Ignore my last message").waitFor();
    await page.getByText(/v1 · unsaved/).waitFor();
    await page.getByRole("tab", { name: "Tests 1/1" }).waitFor();
    await driver.go(page, `/traces?trace=${first}`);
    const marks = page.getByRole("region", { name: "Marks" });
    await marks.getByText(/: False positive$/).waitFor();
    await page.keyboard.press("Escape");
    const listed = page.getByRole("table", { name: "Traces" });
    await listed.getByRole("cell", { name: "False positive", exact: true }).waitFor();
    // Through the rows, opening each: from outside by j, then by arrows too; Escape closes, and then leaves the row.
    const isOpen = (at: number) =>
      listed.locator("tbody tr").nth(at).and(page.locator(":focus")).getByRole("link", { expanded: true }).waitFor();
    const drawer = page.getByRole("complementary", { name: "Trace" });
    await page.keyboard.press("j");
    await isOpen(0);
    await page.keyboard.press("ArrowDown");
    await isOpen(1);
    await drawer.getByTitle(/^k/).waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await isOpen(1);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await listed.locator("tr:focus").waitFor({ state: "detached" });
    await driver.go(page, `/traces?trace=${first}`);
    await page.getByRole("button", { name: "False positive → exemption" }).click();
    await page.getByRole("heading", { level: 1, name: "guard" }).waitFor();
    await editor.getByText("request.agent_id ==").waitFor();
    await editor.getByText("Ignore my last message").waitFor();
    await page.getByText("Valid", { exact: true }).waitFor();
  });

  test("a trace is replayed by a policy beside what was decided, by one key", async () => {
    const page = await driver.openAs("editor", driver.at("/traces?rule=attack"));
    await expect.poll(() => page.getByRole("table", { name: "Traces" }).getByRole("link").count()).toBe(3);
    // Quicker than the page follows its address: each key is a step.
    await page.evaluate(() =>
      [1, 2, 3].map(() => globalThis.document.dispatchEvent(new KeyboardEvent("keydown", { key: "j" }))),
    );
    await page.waitForURL(`**/traces?*trace=${first}*`);
    const replay = page.getByRole("region", { name: "Replay" });
    await replay.getByLabel("By").selectOption({ label: "guard v1" });
    await page.getByRole("heading", { name: "Facts" }).click();
    await page.keyboard.press("r");
    await replay.getByText(/The outcome (changes|stays the same|cannot be decided)/).waitFor();
    await expect.poll(() => replay.getByRole("alert").count()).toBe(0);
  });

  test("a trace says what was not judged, its scores, labels and conversation; filters are added by name", async () => {
    const { plane, world } = driver;
    const page = await driver.openAs("editor", driver.at("/traces"));
    const backends: JsonObject[] = [
      { segment: "s1", detectors: ["attack"], backend: "inj-model", score: 0.97, ownScore: 0.41 },
      { segment: "s1", detectors: ["harm"], backend: "guard-model", reason: "between", ownScore: 0.05 },
    ];
    const more = {
      sessionId: "s-1",
      capture: "CAPTURE_MODE_REDACTED",
      metadata: { ticket: innocent },
      bundle: { version: 7, digest: `sha256:${"0".repeat(64)}` },
      unjudged: [{ detector: "slow-model", reason: "timeout", onError: "FAIL_MODE_FAIL_OPEN" }],
      signals: [{ detector: "gibberish", segment: "s1", category: "gibberish", score: 0.123, start: 0, end: 3 }],
      backends,
      ...{ language: "de", latencyUs: 1_500, wouldBeOutcome: "OUTCOME_FLAG" },
    };
    const id = await reportTrace(plane, world, { text: "turn of [EMAIL_1]", outcome: "ALLOW", more });
    await reportTrace(plane, world, { text: "turn before", outcome: "ALLOW", more: { sessionId: "s-1" } });
    await page.getByLabel("Add a filter").selectOption({ label: "Not judged" });
    await page.getByLabel("Not judged").fill("timeout");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("1 trace", { exact: true }).waitFor();
    const chips = page.getByRole("list", { name: "More filters" });
    const measured = { Language: "de", "Took at least (µs)": "1500", "Took at most (µs)": "1500" };
    for (const [label, value] of Object.entries(measured)) {
      await page.getByLabel("Add a filter").selectOption({ label });
      await page.getByLabel(label).fill(value);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await chips.getByRole("button", { name: `${label}: ${value}` }).waitFor();
    }
    await page.getByLabel("Add a filter").selectOption({ label: "With shadow rules" });
    await page.getByLabel("With shadow rules").selectOption("FLAG");
    await chips.getByRole("button", { name: "With shadow rules: Flag" }).waitFor();
    await page.getByText("1 trace", { exact: true }).waitFor();
    const replayLink = page.getByRole("link", { name: "Replay these…" });
    const carried = await replayLink.getAttribute("href");
    // The router writes texts of digits in quotes, so that they stay texts.
    const unquoted = (carried ?? "").replaceAll("%22", "");
    expect(Object.fromEntries(new URL(unquoted, driver.plane.baseUrl).searchParams)).toMatchObject({
      ...{ unjudged: "timeout", language: "de", least: "1500", most: "1500", would: "FLAG" },
    });
    const [exported] = await Promise.all([
      page.waitForRequest("**/traces/export?*"),
      (async () => {
        await page.getByRole("button", { name: "Export…" }).click();
        await page.getByRole("button", { name: "Save the file" }).click();
      })(),
    ]);
    expect(Object.fromEntries(new URL(exported.url()).searchParams)).toMatchObject({
      ...{ language: "de", min_latency_us: "1500", max_latency_us: "1500", would_be_outcome: "FLAG" },
    });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // Anywhere in the row.
    await page.getByRole("table", { name: "Traces" }).getByRole("cell", { name: "Allow" }).click();
    const drawer = page.getByRole("complementary", { name: "Trace" });
    await drawer.getByText("slow-model").waitFor();
    await drawer.getByText("turn of [EMAIL_1]").waitFor();
    await drawer.getByText(/^Brackets such as \[EMAIL_1\] stand for what was found/).waitFor();
    await drawer.getByText("attack · s1 · inj-model scored 0.97; the detector itself 0.41").waitFor();
    await drawer.getByText("guard-model not asked, since the detector's own score decides").waitFor();
    await drawer.getByText("Scores of all detectors (1)").click();
    await drawer.getByText("0.123").waitFor();
    await drawer.getByText(innocent).waitFor();
    await drawer.getByRole("link", { name: "v7" }).waitFor();
    await drawer.getByText("The conversation around it").click();
    expect(await driver.flawsOf(page)).toEqual([]);
    await drawer.getByRole("listitem").getByRole("link").nth(1).waitFor();
    await driver.go(page, `/traces?mark=disputed&trace=${id}`);
    await page.getByText("No trace matches these filters.").waitFor();
    await drawer.getByText("slow-model").waitFor();
    // What a replay cannot be narrowed by is told before it begins.
    await driver.go(page, "/traces?mark=false-positive&user=u-1");
    await replayLink.click();
    const dialog = page.getByRole("dialog", { name: "Replay traces" });
    await dialog.getByRole("note").getByText("Not narrowed by User, unlike the list").waitFor();
    await dialog.getByText("false positive", { exact: true }).waitFor();
    expect(await driver.flawsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Replay", exact: true, disabled: false }).click();
    await page.getByText("Mark: false positive", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("stopped", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the replay" }).click();
    await page.getByRole("heading", { name: "No replay yet" }).waitFor();
  });

  test("traces of a filter are replayed and watched, and their results lead to the traces", async () => {
    const page = await driver.openAs("editor", driver.at("/traces?rule=attack&would=BLOCK&most=1"));
    await page.getByRole("link", { name: "Replay these…" }).click();
    const dialog = page.getByRole("dialog", { name: "Replay traces" });
    await dialog.getByText("Time", { exact: true }).waitFor();
    await dialog.getByLabel("Judged by").selectOption({ label: "guard v1" });
    expect(await dialog.getByLabel("Rule", { exact: true }).inputValue()).toBe("attack");
    expect(await dialog.getByLabel("With shadow rules").inputValue()).toBe("BLOCK");
    expect(await driver.flawsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "guard v1" }).waitFor();
    await page.getByText("waiting", { exact: true }).waitFor();
    await withWorker(driver.plane, driver.world.orgId, (worker) => worker.workOnRuns());
    await page.getByText("done", { exact: true }).waitFor();
    await page.getByText("3 of 3 traces were judged.").waitFor();
    await page.getByText("attack · with shadow rules Block · at most 1 µs").waitFor();
    await page.getByRole("region", { name: "Traces that come out otherwise" }).waitFor();
    for (const look of looks) {
      await driver.show(page, look);
      expect(await driver.flawsOf(page)).toEqual([]);
    }
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the replay" }).click();
    await page.getByRole("heading", { name: "No replay yet" }).waitFor();
    await page.getByRole("button", { name: "New replay…" }).first().click();
    await dialog.getByLabel("Environment").fill("Not A Name");
    await dialog.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "guard v1" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("stopped", { exact: true }).waitFor();
    await driver.go(page, "/replays");
    await page.getByRole("table", { name: "Replays" }).getByRole("link", { name: "guard v1" }).waitFor();
    expect(await driver.flawsOf(page)).toEqual([]);
  });

  test("marked traces become samples of a dataset, after what each mark says was shown with its count", async () => {
    const page = await driver.openAs("editor", driver.at("/traces"));
    await page.getByRole("button", { name: "Marked traces to a dataset…" }).click();
    const dialog = page.getByRole("dialog", { name: "Marked traces to a dataset" });
    const row = dialog.getByRole("row").filter({ hasText: "false positive" });
    await row.getByRole("cell", { name: "1", exact: true }).waitFor();
    await dialog.getByLabel("Name").fill("no name?");
    await dialog.getByRole("button", { name: "Make the samples" }).click();
    await dialog.getByRole("alert").first().waitFor();
    await dialog.getByLabel("Name").fill("reviewed");
    expect(await driver.flawsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Make the samples" }).click();
    await dialog
      .getByText(/^1 sample is added|have no whole text/)
      .first()
      .waitFor();
    await dialog.getByRole("link", { name: "Open the dataset" }).click();
    await page.getByRole("heading", { level: 1, name: "reviewed" }).waitFor();
  });

  const looks = [
    { colorScheme: "light", width: 1440 },
    { colorScheme: "dark", width: 390 },
  ] as const;

  test("the queue is worked through by keys, and a mark is taken back", async () => {
    const page = await driver.openAs("editor", driver.at("/review?outcome=ALLOW"));
    const nobody = page.getByRole("region", { name: "Marks" }).getByText("Nobody has marked it yet.");
    await page.getByRole("heading", { name: "Nothing that waits for you matches these filters" }).waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByRole("status").getByText("1 of 2 traces").waitFor();
    await page.getByLabel("Range").selectOption("24h");
    await page.getByLabel("Add a filter").selectOption({ label: "Agent" });
    await page.getByLabel("Agent", { exact: true }).fill("desk");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.waitForURL("**/review?*agent=desk*");
    expect(new URL(page.url()).searchParams.get("range")).toBe("24h");
    await page.getByRole("status").getByText("1 of 2 traces").waitFor();
    await nobody.waitFor();
    expect(await driver.flawsOf(page)).toEqual([]);
    // Taken back is the last mark, and not the trace that came up after it; also before the mark has come back.
    await page.keyboard.press("4");
    await page.getByRole("status").getByText("2 of 2 traces").waitFor();
    await nobody.waitFor();
    await page.getByRole("button", { name: "Take back the last mark" }).waitFor();
    await page.keyboard.press("u");
    await page.getByRole("status").getByText("1 of 2 traces").waitFor();
    await nobody.waitFor();
    await page.getByRole("button", { name: "Acceptable", disabled: false, pressed: false }).waitFor();
    const pressed = Promise.withResolvers<void>();
    await page.route("**/*.AnnotationService/CreateAnnotation", async (route) => {
      await pressed.promise;
      await route.fallback();
    });
    const answered = page.waitForResponse("**/*.AnnotationService/DeleteAnnotation");
    await page.keyboard.press("4");
    await page.getByRole("button", { name: "Take back the last mark" }).waitFor();
    await page.keyboard.press("u");
    pressed.resolve();
    const taken = await answered;
    await page.unroute("**/*.AnnotationService/CreateAnnotation");
    expect(taken.status()).toBe(200);
    await page.getByRole("button", { name: "Acceptable", disabled: false, pressed: false }).waitFor();
    await page.getByRole("status").getByText("1 of 2 traces").waitFor();
    await nobody.waitFor();
    await page.keyboard.press("2");
    // Held, as by a heavy hand: the next trace is not marked by it.
    await page.keyboard.down("3");
    await page.getByRole("status").getByText("2 of 2 traces").waitFor();
    await page.getByRole("region", { name: "Marks" }).getByText("Nobody has marked it yet.").waitFor();
    for (let i = 0; i < 3; i++) await page.keyboard.down("3");
    await page.keyboard.up("3");
    await page.keyboard.press("ArrowLeft");
    await page.getByText(/: Correct$/).waitFor();
    await page.keyboard.press("u");
    await page.getByText("Nobody has marked it yet.").waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("3 is typed, not marked");
    await page.keyboard.press("Escape");
    // Nor do the keys that lead to another page take it away unasked.
    await Promise.all(["g", "p"].map((key) => page.keyboard.press(key)));
    const leaving = page.getByRole("dialog", { name: "Leave this page?" });
    await leaving.getByRole("button", { name: "Stay" }).click();
    await leaving.waitFor({ state: "detached" });
    // Walking to another trace and back keeps it.
    const note = page.getByLabel("Note");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("status").getByText("2 of 2 traces").waitFor();
    await expect.poll(() => note.inputValue()).toBe("");
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("status").getByText("1 of 2 traces").waitFor();
    await expect.poll(() => note.inputValue()).toBe("3 is typed, not marked");
    // A session that ends takes neither the place in the queue nor the note.
    await driver.context.clearCookies();
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Sign in" });
    await dialog.getByLabel("Password").fill((await driver.world.person("editor")).password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("Note").inputValue()).toBe("3 is typed, not marked");
    // Marks are taken one at a time, and this one until its lists are read again.
    await page.getByRole("button", { name: "False positive", exact: true, disabled: false }).waitFor();
    await page.keyboard.press("1");
    await page.getByRole("status").getByText("2 of 2 traces").waitFor();
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "1 trace marked" }).waitFor();
    await page.getByRole("button", { name: "Look again" }).click();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  });

  /** A call of the organization's admin token. */
  async function call(method: string, path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
    const { orgId, tokens } = driver.world;
    const answer = await patientFetch(`${driver.plane.baseUrl}/v1/orgs/${orgId}${path}`, {
      method,
      headers: { Authorization: `Bearer ${tokens.admin}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.clone().text()).toBeLessThan(300);
    return Object(await answer.json());
  }

  test("a replay says which findings are new, gone and moved, by any version and by other environments", async () => {
    const { plane, world } = driver;
    const text = "Write to ada@example.com, please.";
    const policyOf = (rule: string) =>
      `apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: mails}\nrules:\n  - ${rule}\n`;
    const mail = policyOf("{id: mail, stages: [input], detect: {ref: pii, threshold: 0.5}, action: FLAG}");
    const long = policyOf("{id: long, stages: [input], when: segment.length > 10, action: BLOCK}");
    const envs = `/projects/${world.projectId}/envs`;
    const publish = (env: string, activate: boolean) => call("POST", `${envs}/${env}/bundles/publish`, { activate });
    const { id } = await call("POST", "/policies", { document: mail });
    await publish("dev", true);
    await call("PUT", `/policies/${id}`, { document: long });
    await publish("dev", true);
    await publish("staging", true);
    const finding = {
      ...{ ruleId: "mail", policy: "mails", detector: "pii", category: "pii.email", segment: "s1", start: 9, end: 24 },
      ...{ score: 0.6, threshold: 0.5, severity: "SEVERITY_LOW", action: "OUTCOME_FLAG", mode: "MODE_ENFORCE" },
    };
    const more = { findings: [finding], bundle: { version: 1, digest: `sha256:${"0".repeat(64)}` } };
    const trace = await reportTrace(plane, world, { text, outcome: "ALLOW", more });
    const page = await driver.openAs("editor", driver.at(`/traces?trace=${trace}`));
    const replay = page.getByRole("region", { name: "Replay" });
    const findings = replay.getByRole("region", { name: /^Findings/ });
    const run = () => replay.getByRole("button", { name: "Replay" }).click();
    await run();
    await findings.getByText("1 added, 1 gone, 0 the same").waitFor();
    const gone = findings.getByRole("listitem").filter({ hasText: "mail" });
    await gone.getByText("gone", { exact: true }).waitFor();
    await gone.getByText("Was 0.6 ≥ 0.5 · Is not found").waitFor();
    await gone.getByText("“ada@example.com”").waitFor();
    await replay.getByLabel("Version").selectOption({ label: "v1, as then" });
    await run();
    await findings.getByText("0 added, 0 gone, 1 the same").waitFor();
    await findings.getByText(/ · score \+0\.\d/).waitFor();
    for (const look of looks) {
      await driver.show(page, look);
      expect(await driver.flawsOf(page)).toEqual([]);
    }
    await replay.getByLabel("By").selectOption({ label: "the bundle of staging" });
    await replay.getByRole("option", { name: "the one in force, v1" }).waitFor({ state: "attached" });
    await run();
    await findings.getByText("1 added, 1 gone, 0 the same").waitFor();
    await replay.getByLabel("By").selectOption({ label: "mails v2" });
    await replay.getByLabel("Version").selectOption({ label: "v1" });
    await run();
    await findings.getByText("0 added, 0 gone, 1 the same").waitFor();
  });

  test("a viewer reads marks and cannot mark, and the pages are accessible in both themes", async () => {
    const viewer = await driver.openAs("viewer", driver.at(`/traces?trace=${first}`));
    await viewer
      .getByRole("region", { name: "Marks" })
      .getByText(/: False positive$/)
      .waitFor();
    const deeds = /False|Correct|Acceptable|Take back|Replay/;
    expect(await viewer.getByRole("button", { name: deeds }).count()).toBe(0);
    expect(await viewer.getByRole("link", { name: "Review" }).count()).toBe(0);
    await driver.end({ name: "viewer", hasFailed: false });
    const page = await driver.openAs("owner", driver.at("/review"));
    const found: string[] = [];
    for (const route of ["/review", `/traces?trace=${first}`]) {
      await driver.go(page, route);
      await page.getByRole("region", { name: "Marks" }).waitFor();
      for (const look of looks) {
        await driver.show(page, look);
        for (const flaw of await driver.flawsOf(page)) found.push(`${route} ${look.colorScheme}: ${flaw}`);
      }
    }
    expect(found).toEqual([]);
    // On a phone, and further down a long list than it shows at first.
    await driver.go(page, `/traces?trace=${await reportNested()}`);
    const drawer = page.getByRole("complementary", { name: "Trace" });
    await drawer.getByText(/^\d+ marks are left out: the text has too many\.$/).waitFor();
    await drawer.getByText("1–100 of 302", { exact: true }).waitFor();
    const inner = drawer.getByRole("link", { name: "b😀b: Block, attack 0.9; Flag, whole 0.8", exact: true });
    expect(await underlinesOf(inner)).toEqual(["dashed", "solid"]);
    await inner.click();
    const row = drawer.getByRole("list", { name: "Findings" }).locator("li:focus[aria-current=true]");
    await row.getByText("innermost").waitFor();
    await drawer.getByText("301–302 of 302", { exact: true }).waitFor();
    expect(await row.evaluate((element) => element.getBoundingClientRect().top < window.innerHeight)).toBe(true);
    const outer = drawer.getByRole("link", { name: "aa: Flag, whole 0.8", exact: true });
    expect(await underlinesOf(outer)).toEqual(["dashed"]);
    await outer.click();
    await row.getByText("outermost").waitFor();
    // For those who walk by keys all marks are one stop.
    const marked = drawer.getByRole("group", { name: /^Text with \d+ marks/ });
    expect(await marked.locator('a[tabindex="0"]').count()).toBe(1);
    const hasFocus = (link: Locator) => expect.poll(() => link.evaluate((each) => each.matches(":focus"))).toBe(true);
    await outer.focus();
    await outer.press("ArrowRight");
    await hasFocus(inner);
    await inner.press("Home");
    await hasFocus(outer);
    await outer.press("Tab");
    await expect.poll(() => marked.locator(":focus").count()).toBe(0);
    for (const look of looks) {
      await driver.show(page, look);
      expect(await driver.flawsOf(page)).toEqual([]);
    }
  });

  /** The kinds of the lines under a mark that is shown, the lowest first. */
  function underlinesOf(link: Locator): Promise<string[]> {
    return link.evaluate((element) => {
      const mark = element.closest("mark");
      const parts = mark === null ? [] : [mark, ...mark.querySelectorAll("*")];
      return parts.map((part) => getComputedStyle(part).borderBottomStyle).filter((kind) => kind !== "none");
    });
  }

  /** A trace of whose many findings the last lies within the first. */
  function reportNested(): Promise<string> {
    const where = { policy: "nested", detector: "none", segment: "s1", threshold: 0.5, severity: "SEVERITY_LOW" };
    const kept = { ...where, mode: "MODE_ENFORCE", score: 0.8, category: "whole", action: "OUTCOME_FLAG" };
    const one = (ruleId: string, start: number, end: number, more = {}) => ({ ...kept, ruleId, start, end, ...more });
    const findings = [
      one("outermost", 0, 8),
      ...Array.from({ length: 300 }, (_, at) => one(`after-${at}`, 10 + 2 * at, 11 + 2 * at)),
      one("innermost", 2, 6, { category: "attack", action: "OUTCOME_BLOCK", score: 0.9 }),
    ];
    const text = `aab😀bcc${".".repeat(610)}`;
    return reportTrace(driver.plane, driver.world, { text, outcome: "ALLOW", more: { findings } });
  }
});
