// Packages as npm installs them: one tarball each.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packCli } from "./cli.ts";
import { packClient } from "./client.ts";
import type { Packed } from "./folder.ts";

/** A tarball, and what is in it. */
export interface Tarball extends Packed {
  readonly name: string;
  readonly file: string;
  readonly tarballBytes: number;
}

const packages = { client: packClient, cli: packCli };

/** The packages that others install. */
export const packageNames = Object.keys(packages) as readonly (keyof typeof packages)[];

/** Packs one of them into the folder. */
export async function packTarball(name: keyof typeof packages, folder: string): Promise<Tarball> {
  const work = mkdtempSync(join(tmpdir(), "policy-guard-tarball-"));
  try {
    const packed = await packages[name](join(work, name));
    mkdirSync(folder, { recursive: true });
    const { stdout } = await promisify(execFile)("npm", ["pack", "--json", "--pack-destination", folder], {
      cwd: join(work, name),
    });
    const [{ filename }]: [{ filename: string }] = JSON.parse(stdout);
    const file = join(folder, filename);
    return { ...packed, name, file, tarballBytes: statSync(file).size };
  } finally {
    rmSync(work, { recursive: true });
  }
}
