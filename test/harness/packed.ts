// Packages as others install them: out of their tarballs, in an empty folder, with the packages that they name and no
// others.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
  const target = join(folder, "node_modules", "@policyguard", name);
  mkdirSync(target, { recursive: true });
  await execute("tar", ["-xzf", tarball.file, "-C", target, "--strip-components=1"]);
  const installed: InstalledPackage = {
    folder,
    tarball,
    target,
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
  const { dependencies = {} } = JSON.parse(readFileSync(join(target, "package.json"), "utf8"));
  installed.link(...Object.keys(dependencies));
  return installed;
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
