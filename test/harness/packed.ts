// Packages as others install them: out of their tarballs, by npm, in an empty folder.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type packageNames, packTarball, type Tarball } from "../../scripts/pack/tarball.ts";

const execute = promisify(execFile);
const modules = resolve(import.meta.dirname, "../../node_modules");

/** A folder into which a package was installed. */
export interface InstalledPackage {
  readonly folder: string;
  readonly tarball: Tarball;
  /** Where the package is. */
  readonly target: string;
  /** Writes a file into the folder. Returns its path. */
  write(name: string, content: string): string;
  /** Lets programs of the folder import packages of the repository. */
  link(...names: readonly string[]): void;
  remove(): void;
}

/** Packs the package, and installs it into an empty folder. */
export async function installPacked(name: (typeof packageNames)[number]): Promise<InstalledPackage> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-package-"));
  const tarball = await packTarball(name, folder);
  const installed: InstalledPackage = {
    folder,
    tarball,
    target: join(folder, "node_modules", "@policyguard", name),
    write(file, content) {
      writeFileSync(join(folder, file), content);
      return join(folder, file);
    },
    link(...names) {
      for (const each of names) {
        const link = join(folder, "node_modules", each);
        if (existsSync(link)) continue;
        mkdirSync(dirname(link), { recursive: true });
        symlinkSync(join(modules, each), link);
      }
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
  installed.write("package.json", '{"type": "module", "private": true}');
  await npmInstall(folder, [tarball.file, ...(await packModules(folder, await namedBy(tarball)))]);
  return installed;
}

async function namedBy({ file }: Tarball): Promise<readonly string[]> {
  const { stdout } = await execute("tar", ["-xzOf", file, "package/package.json"]);
  return Object.keys(JSON.parse(stdout).dependencies ?? {});
}

/**
 * Packs packages of the repository into the folder, and returns the tarballs. They stand in for the registry, so that
 * nothing is fetched.
 */
export async function packModules(folder: string, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const parameters = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await execute("npm", [...parameters, ...names.map((name) => join(modules, name))]);
  const packed: { readonly filename: string }[] = JSON.parse(stdout);
  return packed.map(({ filename }) => join(folder, filename));
}

/** Installs tarballs. Fails when they need a package that is not among them. */
async function npmInstall(folder: string, tarballs: readonly string[]): Promise<void> {
  const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await execute("npm", ["install", ...quiet, ...tarballs], { cwd: folder });
}

/** A Node to try a package with. */
export interface NodeVersion {
  readonly path: string;
  readonly major: number;
}

/** The Node versions of this machine: that of the project, those of the path, and the one of the integrations. */
export async function nodeVersions(): Promise<NodeVersion[]> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const older = join(import.meta.dirname, "../../examples/integrations/node_modules/node-22/bin/node");
  const paths = [process.execPath, ...folders.map((folder) => join(folder, "node")), older].filter(existsSync);
  const found = new Map<string, NodeVersion>();
  for (const path of paths) {
    const { stdout } = await execute(path, ["--version"]);
    const version = stdout.trim();
    if (!found.has(version)) found.set(version, { path, major: Number(/^v(\d+)/.exec(version)?.[1]) });
  }
  return [...found.values()];
}
