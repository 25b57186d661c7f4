// The licences of everything that a packed program has code of.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Metafile } from "esbuild";

const root = resolve(import.meta.dirname, "..", "..");

const unwritten = "The package names its licence without the text, which is at https://spdx.org/licenses/.";

/** The licences of all packages that the output has code of. */
export function licencesOf({ outputs }: Metafile): string {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const packages = new Set(files.flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  return [...packages].sort().map(licenceOf).join("\n");
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  // Some packages only name their licence; another package here has the same text.
  const text = file === undefined ? unwritten : readFileSync(join(root, folder, file), "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n\n${"-".repeat(80)}\n`;
}
