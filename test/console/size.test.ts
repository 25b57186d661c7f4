// The sizes of the built console against its budgets: what a first visit loads, and what a page adds.

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const kib = 1_024;

let folder: string;
beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, "scripts", "console.ts")]);
  folder = stdout.trim();
});

/** What a file weighs on its way, in KiB. */
function weight(name: string): number {
  return gzipSync(readFileSync(join(folder, "assets", name)), { level: 9 }).length / kib;
}

function sum(names: readonly string[]): number {
  return names.reduce((total, name) => total + weight(name), 0);
}

/** The files that the document itself asks for. */
function initial(extension: string): string[] {
  const document = readFileSync(join(folder, "index.html"), "utf8");
  return [...document.matchAll(/\/assets\/([\w.-]+)/g)]
    .map(([, name = ""]) => name)
    .filter((n) => n.endsWith(extension));
}

test("scripts before the first page weigh at most 220 KiB, styles 20", () => {
  expect(initial(".js").length).toBeGreaterThan(0);
  expect(sum(initial(".js"))).toBeLessThanOrEqual(220);
  expect(sum(initial(".css"))).toBeLessThanOrEqual(20);
});

test("a page adds at most 30 KiB, the editor 155, and nothing carries a source map", () => {
  const names = readdirSync(join(folder, "assets")).filter((name) => name.endsWith(".js"));
  const later = names.filter((name) => !initial(".js").includes(name)).map((name) => [name, weight(name)] as const);
  const heavy = later.filter(([, size]) => size > 30);
  expect(heavy.length).toBeLessThanOrEqual(2);
  expect(heavy.reduce((total, [, size]) => total + size, 0)).toBeLessThanOrEqual(155);
  expect(readdirSync(join(folder, "assets")).filter((name) => name.endsWith(".map"))).toEqual([]);
  expect(
    names.filter((name) => readFileSync(join(folder, "assets", name), "utf8").includes("sourceMappingURL")),
  ).toEqual([]);
});
