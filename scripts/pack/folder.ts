// Writes a folder as a whole: it is there when all of it is.

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** A summary of the written folder. */
export interface Packed {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes the package of this name into a folder, which may exist only if it is such a package, or empty. When anything
 * fails, the folder stays as it was.
 */
export async function writePackage(
  folder: string,
  name: string,
  write: (draft: string) => Promise<void>,
): Promise<Packed> {
  if (existsSync(folder) && !isPackage(folder, name))
    throw new Error(`${folder} is something else; name another folder`);
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  try {
    await write(draft);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return sizeOf(folder);
}

function isPackage(folder: string, name: string): boolean {
  if (readdirSync(folder).length === 0) return true;
  const file = join(folder, "package.json");
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).name === name;
}

function sizeOf(folder: string): Packed {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return {
    files: files.length,
    bytes: files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0),
  };
}
