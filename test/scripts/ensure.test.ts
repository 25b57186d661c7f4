import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
// @ts-expect-error It is JavaScript, for the Node that the system has.
import { ensureDependencies } from "../../scripts/ensure.mjs";

let root: string;
let installs: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ensure-"));
  installs = 0;
  writeLock("1.0.0");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a fresh clone gets its dependencies, the second start installs nothing", async () => {
  expect(await ensure()).toBe(true);
  expect(await ensure()).toBe(false);
  expect(installs).toBe(1);
});

test("a changed lock file brings a new install", async () => {
  await ensure();
  writeLock("1.0.1");
  expect(await ensure()).toBe(true);
});

test("a failed install is tried again by the next start", async () => {
  await expect(ensure({ install: () => Promise.reject(new Error("no network")) })).rejects.toThrow("no network");
  expect(await ensure()).toBe(true);
});

test("an install by hand that agrees with the lock file is accepted", async () => {
  writeInstalled("1.0.0");
  expect(await ensure()).toBe(false);
  expect(installs).toBe(0);
});

test("an install by hand after a change of the lock file is accepted, too", async () => {
  await ensure();
  writeLock("1.0.1");
  writeInstalled("1.0.1");
  expect(await ensure()).toBe(false);
  expect(installs).toBe(1);
});

test("an install by hand of another version is not accepted", async () => {
  writeInstalled("0.9.0");
  expect(await ensure()).toBe(true);
});

test("two starts at the same time install once", async () => {
  const lines: string[] = [];
  const slow = async () => {
    await sleep(300);
    install();
  };
  const answers = await Promise.all([0, 1].map(() => ensure({ install: slow, log: (line) => lines.push(line) })));
  expect(answers.toSorted()).toEqual([false, true]);
  expect(installs).toBe(1);
  expect(lines).toContainEqual(expect.stringMatching(/^Another process \(\d+\) is installing/));
});

test("the lock of a killed install is removed", async () => {
  writeFileSync(join(root, ".ensure-lock"), "4194305");
  expect(await ensure()).toBe(true);
  expect(readdirSync(root).filter((name) => name.startsWith(".ensure-lock"))).toEqual([]);
});

function ensure(options: { install?: () => unknown; log?: (line: string) => void } = {}): Promise<boolean> {
  return ensureDependencies({ root, install, log: () => {}, ...options });
}

/** What `npm ci` does to the folder, as far as it matters here. */
function install(): void {
  installs += 1;
  rmSync(join(root, "node_modules"), { recursive: true, force: true });
  mkdirSync(join(root, "node_modules"));
  expect(existsSync(join(root, "package-lock.json"))).toBe(true);
}

function writeLock(version: string): void {
  const packages = { "": { name: "x" }, "node_modules/a": { version }, "node_modules/b": { version, optional: true } };
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }));
}

function writeInstalled(version: string): void {
  mkdirSync(join(root, "node_modules"), { recursive: true });
  const file = join(root, "node_modules", ".package-lock.json");
  writeFileSync(file, JSON.stringify({ packages: { "node_modules/a": { version } } }));
  expect(readFileSync(file, "utf8")).toContain(version);
}
