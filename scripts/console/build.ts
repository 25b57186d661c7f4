// Builds the console into a folder named after the digest of its sources, so that a current build is never made twice,
// and a process that serves an older one is not disturbed.

import { createHash } from "node:crypto";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";
import type { ConsoleManifest } from "../../gateway/console/console-page.ts";
import { forgetOlder, isWhole } from "./builds.ts";
import { leanDescriptors } from "./lean-descriptors.ts";

/** The first segments of the addresses that the router of the console has. */
const segments = ["o", "sign-in", "sign-up", "register", "password-reset", "accept", "join", "welcome", "account"];
/** Smaller files gain nothing. */
const minCompressedBytes = 512;

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Builds the console of the repository `root` below the folder `into`, unless that has been done. Returns its folder.
 */
export async function buildConsole({ root, into }: { readonly root: string; readonly into: string }): Promise<string> {
  const folder = join(into, sourceDigest(root));
  if (isWhole(folder)) return folder;
  mkdirSync(into, { recursive: true });
  const draft = mkdtempSync(join(into, ".draft-"));
  try {
    await build({
      configFile: join(root, "console", "vite.config.ts"),
      logLevel: "error",
      plugins: [leanDescriptors],
      build: { outDir: draft, emptyOutDir: true },
    });
    const names = readdirSync(join(draft, "assets"));
    for (const name of names) compress(join(draft, "assets", name));
    compress(join(draft, "index.html"));
    const assets = Object.fromEntries(names.toSorted().map((name) => [name, typeOf(name)]));
    const manifest: ConsoleManifest = { segments, assets };
    writeFileSync(join(draft, "console.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    publish(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  forgetOlder(into);
  return folder;
}

/** Of two that build at the same time, the second finds the folder of the first. */
function publish(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!isWhole(folder)) throw error;
  }
}

function compress(path: string): void {
  const plain = readFileSync(path);
  if (plain.length < minCompressedBytes) return;
  writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}

function typeOf(name: string): string {
  const type = types[name.slice(name.lastIndexOf("."))];
  if (type === undefined) throw new Error(`${name}: the console serves no files of this type`);
  return type;
}

/** The digest of all that a build depends on: its sources, the generated clients, how they are built, the libraries. */
function sourceDigest(root: string): string {
  const patterns = ["console/**/*", "gen/**/*_pb.ts", "scripts/console/*.ts", "package-lock.json"];
  const hash = createHash("sha256");
  for (const path of globSync(patterns, { cwd: root }).toSorted()) {
    const full = join(root, path);
    if (statSync(full).isFile()) hash.update(`${path}\0`).update(readFileSync(full));
  }
  return hash.digest("hex").slice(0, 16);
}
