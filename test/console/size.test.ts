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

/** The scripts that a script cannot run without. */
function imported(name: string): readonly string[] {
  const source = readFileSync(join(folder, "assets", name), "utf8");
  return [...source.matchAll(/\b(?:from|import)\s?["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, other = ""]) => other);
}

/** The script and all that it loads with it, those of the first page left out. */
function loadedWith(name: string): readonly string[] {
  const found = new Set([name]);
  for (const each of found) for (const other of imported(each)) found.add(other);
  return [...found].filter((each) => !initial(".js").includes(each));
}

/** What scripts load when somebody goes to a page or opens the palette, with all that each needs, the heaviest first. */
function later(names: readonly string[]) {
  const sources = names.map((name) => readFileSync(join(folder, "assets", name), "utf8"));
  const found = sources.flatMap((source) => [...source.matchAll(/\bimport\(["'`]\.\/([\w.-]+\.js)["'`]\)/g)]);
  return [...new Set(found.map(([, name = ""]) => name))]
    .map((name) => ({ name, files: loadedWith(name), own: weight(name) }))
    .map((each) => ({ ...each, all: sum(each.files) }))
    .toSorted((a, b) => b.all - a.all);
}

test("a page's own script weighs at most 30 KiB, with all that it loads 70, one with the editor 190, the palette 20", () => {
  const names = readdirSync(join(folder, "assets")).filter((name) => name.endsWith(".js"));
  const pages = later(names);
  expect(pages.length).toBeGreaterThan(40);
  expect(pages.filter(({ own }) => own > 30)).toEqual([]);
  // Only the parts of the editor weigh more than a page may: they are what makes a page heavy.
  const editor = names.filter((name) => !initial(".js").includes(name) && weight(name) > 30);
  expect(editor.length).toBe(2);
  expect(sum(editor)).toBeLessThanOrEqual(155);
  const [withEditor, others] = [true, false].map((has) =>
    pages.filter(({ files }) => files.some((file) => editor.includes(file)) === has),
  );
  expect(withEditor?.filter(({ all }) => all > 190)).toEqual([]);
  expect(others?.filter(({ all }) => all > 70)).toEqual([]);
  // Half of them need no more than a page's own script may weigh.
  expect(others?.at(others.length / 2)?.all).toBeLessThanOrEqual(30);
  const palette = pages.filter(({ name }) => name.startsWith("palette-"));
  expect(palette.map(({ all }) => all <= 20)).toEqual([true]);
});

test("nothing carries a source map", () => {
  const names = readdirSync(join(folder, "assets"));
  expect(names.filter((name) => name.endsWith(".map"))).toEqual([]);
  expect(
    names.filter((name) => readFileSync(join(folder, "assets", name), "utf8").includes("sourceMappingURL")),
  ).toEqual([]);
});
