// A process that adopts a bundle as a runtime does, and is killed at one step of it: the first argument names a file
// that says what to adopt, the second the number of the step. It prints the name of the step at which it dies, and
// "done" when there is no such step.

import { readFileSync, writeSync } from "node:fs";
import files, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import { BundleHolder } from "../../../runtime/bundle/active-bundle.ts";
import { createBundleCache } from "../../../runtime/bundle/cache.ts";
import { type BundleCheck, verifyBundle } from "../../../runtime/bundle/verify.ts";
import { runtimeVersion } from "../../../runtime/bundle/version.ts";
import { maxBundleBytes } from "../../../src/kit/bundle/bundle-size.ts";
import { type PublicJwk, trustKeys } from "../../../src/kit/crypto/signing-key.ts";

/** What to adopt, on which folder. */
export interface Adoption {
  readonly folder: string;
  /** JSON of the bundle. */
  readonly bundle: string;
  readonly key: PublicJwk;
  readonly scope: BundleCheck["scope"];
}

const [, , file = "", wanted = ""] = process.argv;
const steps = new Set<string>();

/** A file is written in pieces, of which the first stands for all. */
function step(name: string): void {
  if (steps.has(name)) return;
  steps.add(name);
  if (steps.size !== Number(wanted)) return;
  writeSync(1, name);
  process.kill(process.pid, "SIGKILL");
}

const real = { mkdir: files.mkdir, open: files.open, rename: files.rename };

/** The handle, with a step before each thing that it does and in the middle of what it writes. */
function stepping(handle: FileHandle, name: string): FileHandle {
  const [append, sync, close] = [handle.appendFile, handle.sync, handle.close].map((method) => method.bind(handle));
  return Object.assign(handle, {
    async appendFile(text: string) {
      step(`write ${name}`);
      const half = text.length >> 1;
      await (append as FileHandle["appendFile"])(text.slice(0, half)); // bound above, in this order
      step(`half of write ${name}`);
      await (append as FileHandle["appendFile"])(text.slice(half));
    },
    async sync() {
      step(`sync ${name}`);
      await (sync as FileHandle["sync"])();
    },
    async close() {
      step(`close ${name}`);
      await (close as FileHandle["close"])();
    },
  });
}

Object.assign(files, {
  async mkdir(...given: Parameters<typeof files.mkdir>) {
    step("make folder");
    return real.mkdir(...given);
  },
  async open(path: string, flags: string, mode: number) {
    step(`open ${basename(path)}`);
    return stepping(await real.open(path, flags, mode), basename(path));
  },
  async rename(from: string, to: string) {
    step(`rename ${basename(to)}`);
    await real.rename(from, to);
    step(`renamed ${basename(to)}`);
  },
});
syncBuiltinESMExports();

const { folder, bundle, key, scope }: Adoption = JSON.parse(readFileSync(file, "utf8"));
const cache = createBundleCache({ folder });
const kept = await cache.read();
const check = { trust: trustKeys([key]), scope, ratchet: kept.ratchet, now: new Date(), maxBytes: maxBundleBytes };
const adoption = { now: new Date(), isConfirmed: true };
const holder = new BundleHolder();
const old = await verifyBundle({ ...check, bundle: kept.bundle ?? new Uint8Array(), from: "disk", runtimeVersion });
await holder.adopt(old, { ...adoption, keep: async () => undefined });
step("bundle arrived");
const found = await verifyBundle({ ...check, bundle: Buffer.from(bundle), from: "network", runtimeVersion });
step("bundle verified");
const keep = async () => {
  step("bundle compiled");
  await cache.write(found);
  step("bundle kept");
};
await holder.adopt(found, { ...adoption, keep });
step("bundle in force");
writeSync(1, "done");
process.exit(0);
