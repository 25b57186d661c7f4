import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version of the package that this file is part of. */
export function packageVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) {
    if (dirname(folder) === folder) throw new Error("the package has no package.json");
    folder = dirname(folder);
  }
  const { version }: { version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return version;
}
