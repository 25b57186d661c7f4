// The host of models as a process: what it answers, what it refuses, and what it leaves alone. Times are generous, since
// machines that run tests are busy; what has to be refused is refused by what is expected, not by a clock.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../../runtime/engine/authoring/seeded-random.ts";
import type { ModelResult } from "../../../runtime/model-host/client.ts";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { eventually } from "../../harness/eventually.ts";
import { hasAddon, startModelHost, type TestHost } from "../../harness/model/model-host.ts";
import { type TinyModel, tinyTexts, writeTinyModel } from "../../harness/model/tiny-model.ts";

const remainingMs = 600_000;
const words = ["ignore", "order", "weather", "prompt", "book", "jailbreak", "zebra", "please"];

/** Texts of several lengths, always the same. */
function textsOf(count: number): string[] {
  const random = seededRandom(11);
  const pick = () => words[Math.floor(random() * words.length)] ?? "";
  return Array.from({ length: count }, (_, index) => Array.from({ length: 1 + (index % 90) }, pick).join(" "));
}

function scoreOf(result: ModelResult): number {
  if ("failure" in result) throw new Error(result.failure);
  return result.findings[0]?.score ?? Number.NaN;
}

describe.skipIf(!hasAddon)("the host of models", () => {
  let host: TestHost;
  let tiny: TinyModel;
  const ask = (text: string, model = "tiny") => host.client.ask({ model, text, remainingMs });

  beforeAll(async () => {
    host = await startModelHost((folder) => {
      tiny = writeTinyModel(join(folder, "tiny"));
      writeTinyModel(join(folder, "slow"), { layers: 120 });
      writeTinyModel(join(folder, "wrong"), { settings: { max_tokens: 1 } });
      writeTinyModel(join(folder, "untested"), { settings: { fixtures: [] } });
    });
  });
  afterAll(() => host?.stop());

  it("says of each model whether it is ready, and why not", () => {
    const states = host.client.models.map(({ name, state, reason, isTested }) => [name, reason ?? state, isTested]);
    expect(states).toEqual([
      ["slow", "ready", true],
      ["tiny", "ready", true],
      ["untested", "ready", false],
      ["wrong", "settings_invalid", false],
    ]);
  });

  it("gives a text the score that was computed without it, with its folder's category", async () => {
    for (const text of Object.values(tinyTexts)) {
      const result = await ask(text);
      expect(result).toMatchObject({ findings: [{ label: "INJECTION", category: "injection.model" }], isCut: false });
      expect(scoreOf(result)).toBeCloseTo(tiny.scoresOf(text).INJECTION ?? Number.NaN, 5);
    }
  });

  it("gives a text the same score alone and among others", async () => {
    const { n } = sampleOf({ n: 300, seed: 11 });
    const texts = textsOf(n);
    const alone: number[] = [];
    for (const text of texts) alone.push(scoreOf(await ask(text)));
    // No more at once than wait for a run: what is beyond that is refused.
    const together: number[] = [];
    for (let from = 0; from < texts.length; from += 30)
      together.push(...(await Promise.all(texts.slice(from, from + 30).map((text) => ask(text)))).map(scoreOf));
    const failures = alone.filter((score, index) => score !== together[index]).length;
    reportSample({ n, failures });
    expect([failures, together.length]).toEqual([0, n]);
  });

  it.each([
    ["one word of 64 KiB", "a".repeat(65_536)],
    ["64 KiB of marks", "́".repeat(65_536)],
    ["64 KiB of words", "ignore ".repeat(9_362)],
    ["lone surrogates", "\ud800".repeat(10_000)],
    ["nothing but spaces", " ".repeat(65_536)],
  ])("judges a hostile text and the next one: %s", async (_, text) => {
    expect(scoreOf(await ask(text))).toBeGreaterThanOrEqual(0);
    expect(scoreOf(await ask(tinyTexts.attack))).toBeGreaterThan(0.9);
  });

  it("refuses what it does not have, and bytes other than those demanded", async () => {
    expect(await ask("x", "other")).toMatchObject({ failure: "model_missing" });
    expect(await ask("x", "wrong")).toMatchObject({ failure: "model_missing" });
    const digest = `sha256:${"0".repeat(64)}`;
    expect(await host.client.ask({ model: "tiny", text: "x", digest, remainingMs })).toMatchObject({
      failure: "model_mismatch",
    });
    const own = host.client.models.find(({ name }) => name === "tiny")?.digest ?? "";
    expect(
      scoreOf(await host.client.ask({ model: "tiny", text: tinyTexts.attack, digest: own, remainingMs })),
    ).toBeGreaterThan(0.9);
  });

  it("refuses at once what nobody waits for any more, and reads it when somebody does", async () => {
    const text = "order ".repeat(100);
    expect(await host.client.ask({ model: "slow", text, remainingMs: 0 })).toMatchObject({ failure: "timeout" });
    expect(scoreOf(await ask(text, "slow"))).toBeLessThan(0.5);
  });

  it("refuses the 65th window that would wait", async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `order ${index}`);
    const results = await Promise.all(texts.map((text) => ask(text, "slow")));
    const refused = results.filter((result) => "failure" in result);
    // Some may have run before the last was asked.
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(100 - 65);
    expect(new Set(refused.map((result) => "failure" in result && result.failure))).toEqual(new Set(["model_busy"]));
  });

  it("has nothing of its parent's environment, no network socket, and no file open for writing but its record", () => {
    const pid = host.supervisor.pid ?? 0;
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
    const names = variables.map((each) => each.split("=")[0]).sort();
    expect(names).toEqual([
      "HOME",
      "NODE_CHANNEL_FD",
      "NODE_CHANNEL_SERIALIZATION_MODE",
      "ORT_DISABLE_TELEMETRY",
      "UV_THREADPOOL_SIZE",
    ]);
    const targets = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    const inodes = targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
    expect(inodes.length).toBeGreaterThan(0);
    const internet = ["tcp", "tcp6", "udp", "udp6"].flatMap((name) =>
      readFileSync(`/proc/${pid}/net/${name}`, "utf8")
        .split("\n")
        .flatMap((line) => line.trim().split(/\s+/)[9] ?? []),
    );
    expect(inodes.filter((inode) => internet.includes(inode))).toEqual([]);
    const files = targets.filter((target) => target.startsWith("/") && !target.startsWith("/dev/"));
    expect(files.map((path) => path.replace(/.*\//, ""))).toEqual(["flight-0"]);
    const home = variables.find((each) => each.startsWith("HOME="))?.slice(5) ?? "";
    expect(readdirSync(home)).toEqual([]);
  });
});

describe.skipIf(!hasAddon)("a host of models that ends", () => {
  let host: TestHost;
  const kill = () => {
    const { pid } = host.supervisor;
    if (pid === undefined) throw new Error("there is no host");
    process.kill(pid, "SIGKILL");
    return pid;
  };
  const ready = (pid: number) =>
    eventually(() => {
      expect(host.supervisor.pid).not.toBe(pid);
      expect([host.client.isConnected, host.client.state.isSettled]).toEqual([true, true]);
      expect(host.client.models.find(({ name }) => name === "slow")?.state).toBe("ready");
    });

  beforeAll(async () => {
    host = await startModelHost((folder) => {
      writeTinyModel(join(folder, "slow"), { layers: 40 });
    });
  });
  afterAll(() => host?.stop());

  it("is replaced, and every question has an answer", async () => {
    const asked = textsOf(20).map((text) => host.client.ask({ model: "slow", text, remainingMs }));
    const pid = kill();
    for (const result of await Promise.all(asked))
      expect("failure" in result ? result.failure : "model_crash").toBe("model_crash");
    await ready(pid);
    expect(host.client.state.restarts).toBe(1);
    expect(scoreOf(await host.client.ask({ model: "slow", text: tinyTexts.attack, remainingMs }))).toBeGreaterThan(0.9);
  });

  it("judges a text no more that it was judging at three of its ends, and others still", async () => {
    // Several windows, so that it is judged for a while.
    const text = "order ".repeat(800);
    const ask = () => host.client.ask({ model: "slow", text, remainingMs });
    for (let ends = 0; ends < 3; ends++) {
      const pid = host.supervisor.pid ?? 0;
      const asking = ask();
      await stopAtWork(pid);
      kill();
      expect(await asking).toMatchObject({ failure: "model_crash" });
      await ready(pid);
    }
    expect(await ask()).toMatchObject({ failure: "model_crash" });
    expect(scoreOf(await host.client.ask({ model: "slow", text: tinyTexts.attack, remainingMs }))).toBeGreaterThan(0.9);
  });
});

/** Stops a host while it judges something: what it works on stands in its record. */
function stopAtWork(pid: number): Promise<void> {
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  const record = links.find((path) => /\/flight-\d+$/.test(path)) ?? "";
  const isAtWork = () => readFileSync(record).some((byte) => byte !== 0);
  return eventually(() => {
    if (!isAtWork()) throw new Error("it has not begun");
    process.kill(pid, "SIGSTOP");
    if (isAtWork()) return;
    // It ended between the two looks.
    process.kill(pid, "SIGCONT");
    throw new Error("it is between two windows");
  });
}

function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    // It was closed meanwhile.
    return [];
  }
}
