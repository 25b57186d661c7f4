// What a packed program is made of: the licences of all packages that it has code of, and a bill of materials.

import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Metafile } from "esbuild";

const root = resolve(import.meta.dirname, "..", "..");

const unwritten = "The package names its licence without the text, which is at https://spdx.org/licenses/.";

/** The file that a build of the console leaves with its packages. */
const consolePackages = "licences.json";

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/**
 * Writes `LICENCES` and `sbom.cdx.json` (CycloneDX) into the folder: of the packages that the output has code of, and
 * of those of a built console. What the base of an image holds is in the bill of its publisher.
 */
export async function writeMaterials(folder: string, { outputs }: Metafile, console?: string): Promise<void> {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const found = files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const folders = [...new Set([...found, ...foldersOfConsole(console)])].sort();
  writeFileSync(join(folder, "LICENCES"), folders.map(licenceOf).join("\n"));
  const { name, version }: Package = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const bill = await billOf({ name, version }, folders.map(packageOf));
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
}

function foldersOfConsole(console: string | undefined): string[] {
  if (console === undefined) return [];
  const packages: readonly Package[] = JSON.parse(readFileSync(join(console, consolePackages), "utf8"));
  return packages.map(({ name, version }) => {
    const folder = `node_modules/${name}`;
    if (packageOf(folder).version !== version) throw new Error(`the console has another ${name} than ${folder}`);
    return folder;
  });
}

function packageOf(folder: string): Package {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}

/** The licence of the package in a folder of the repository. */
export function licenceOf(folder: string): string {
  const { name, version, license } = packageOf(folder);
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  // Some packages only name their licence; another package here has the same text.
  const text = file === undefined ? unwritten : readFileSync(join(root, folder, file), "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n\n${"-".repeat(80)}\n`;
}

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
}

interface Bill {
  readonly $schema: string;
  readonly specVersion: string;
  readonly components: readonly Component[];
}

/** npm's bill of the lock file, of these packages only, and without what would differ from one build to the next. */
async function billOf(product: { readonly name: string; readonly version: string }, packages: readonly Package[]) {
  // Else NODE_ENV=production, as the command that packs sets it, leaves packages out that are needed for building too.
  const command = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--include=dev"];
  const { stdout } = await promisify(execFile)("npm", command, { cwd: root, maxBuffer: 64 * 2 ** 20 });
  const { $schema, specVersion, components }: Bill = JSON.parse(stdout);
  const named = new Map(components.map((component) => [`${component.name}@${component.version}`, component]));
  return {
    $schema,
    bomFormat: "CycloneDX",
    specVersion,
    version: 1,
    metadata: { component: { type: "application", ...product } },
    components: packages.map(({ name, version }) => {
      const component = named.get(`${name}@${version}`);
      if (component === undefined) throw new Error(`${name} ${version} is not in package-lock.json`);
      return component;
    }),
  };
}
