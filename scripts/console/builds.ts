// The builds of the console in a folder, each in a folder of its own.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Builds that are kept: the newest, and the one that a process may still serve. */
const keptBuilds = 2;

/** Whether a build is there and whole: its console.json is written last. */
export function isWhole(folder: string): boolean {
  return statSync(join(folder, "console.json"), { throwIfNoEntry: false }) !== undefined;
}

/** The newest whole build below a folder; undefined when there is none. */
export function newestBuild(into: string): string | undefined {
  return buildsIn(into)[0];
}

/** Deletes builds that nobody can be serving any more. */
export function forgetOlder(into: string): void {
  for (const folder of buildsIn(into).slice(keptBuilds)) rmSync(folder, { recursive: true, force: true });
}

/** Whole builds, the newest first. */
function buildsIn(into: string): string[] {
  if (statSync(into, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(into)
    .map((name) => join(into, name))
    .filter(isWhole)
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
}
