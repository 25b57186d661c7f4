// kill -9 at every step of an adoption: what the next process finds on the disk is the old bundle or the new one,
// whole, and it can go on.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clone, toJsonString } from "@bufbuild/protobuf";
import { expect, it, onTestFinished } from "vitest";
import { BundleSchema } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { createBundleCache } from "../../../runtime/bundle/cache.ts";
import { compileBundle } from "../../../runtime/bundle/compile.ts";
import { type VerifiedBundle, verifyBundle } from "../../../runtime/bundle/verify.ts";
import { runtimeVersion } from "../../../runtime/bundle/version.ts";
import { isSampled, reportSample } from "../../../scripts/assurance/sample.ts";
import { compileCacheVariables } from "../../../scripts/compile-cache.ts";
import { maxBundleBytes } from "../../../src/kit/bundle/bundle-size.ts";
import { trustKeys } from "../../../src/kit/crypto/signing-key.ts";
import { signedBundle } from "../../harness/bundle.ts";
import type { Adoption } from "../../harness/process/killed-adoption.ts";
import { resign, withFile } from "../../harness/resign.ts";
import { policyOf } from "../../harness/vector/word-guard.ts";

const program = fileURLToPath(new URL("../../harness/process/killed-adoption.ts", import.meta.url));
/** What the suite tries in any case: around the moment in which the new one begins to count. */
const always = new Set(["half of write bundle.json.new", "rename bundle.json", "renamed bundle.json"]);
const wanted = [
  ...["bundle arrived", "bundle verified", "bundle compiled", "make folder"],
  ...["open bundle.json.new", "write bundle.json.new", "half of write bundle.json.new", "sync bundle.json.new"],
  ...[
    "close bundle.json.new",
    "rename bundle.json",
    "renamed bundle.json",
    "open bundle",
    "sync bundle",
    "close bundle",
  ],
  ...["open ratchet.json.new", "write ratchet.json.new", "half of write ratchet.json.new", "sync ratchet.json.new"],
  ...["close ratchet.json.new", "rename ratchet.json", "renamed ratchet.json", "bundle kept", "bundle in force"],
];

it("a runtime that is killed at any step of an adoption has the old or the new bundle afterwards", async () => {
  const root = mkdtempSync(join(tmpdir(), "policy-guard-killed-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const { bundle, key, ...scope } = await signedBundle([policyOf("forbidden")]);
  const newer = clone(BundleSchema, bundle);
  const list = { name: "own", scope: { tenant_id: "*", app_id: "*", agent_id: "*", env: "*" }, items: ["one"] };
  await withFile(newer, "lists/own.json", JSON.stringify(list), key);
  await resign(newer, { manifest: { version: 2 }, activation: { version: 2, activation_seq: 2 } }, [key]);
  const check = { trust: trustKeys([key.publicJwk]), scope, now: new Date(), maxBytes: maxBundleBytes, runtimeVersion };
  const [before, after] = await Promise.all(
    [bundle, newer].map((each) => verifyBundle({ ...check, bundle: each, ratchet: undefined, from: "network" })),
  );
  if (before === undefined || after === undefined) throw new Error("there are two bundles");

  /** Kills an adoption at the step; the step's name, and what the next process makes of the folder. */
  const killedAt = async (number: number) => {
    const folder = join(root, String(number), "bundle");
    const cache = createBundleCache({ folder });
    await cache.write(before);
    const given = join(root, `${number}.json`);
    const adoption: Adoption = { folder, bundle: toJsonString(BundleSchema, newer), key: key.publicJwk, scope };
    writeFileSync(given, JSON.stringify(adoption));
    const step = await run([given, String(number)]);
    const kept = await createBundleCache({ folder }).read();
    const found = await verifyBundle({
      ...{ ...check, bundle: kept.bundle ?? new Uint8Array(), ratchet: kept.ratchet, from: "disk" },
    });
    compileBundle(found);
    await goesOn(folder, after);
    return { step, version: found.manifest.version, digest: found.digest };
  };

  const renamed = wanted.indexOf("renamed bundle.json");
  let tried = 0;
  for (const [index, name] of [...wanted, "done"].entries()) {
    if (name !== "done" && !always.has(name) && !isSampled(name, 0.05)) continue;
    const { step, version, digest } = await killedAt(index + 1);
    expect(step).toBe(name);
    expect([step, digest]).toEqual([step, version === 1 ? before.digest : after.digest]);
    // Once the file has its name, the new one is what counts.
    expect([step, version]).toEqual([step, index < renamed ? 1 : 2]);
    tried += 1;
  }
  reportSample({ n: tried, failures: 0 });
}, 240_000);

/** The next adoption succeeds, whatever was left behind, and leaves nothing else. */
async function goesOn(folder: string, after: VerifiedBundle): Promise<void> {
  const cache = createBundleCache({ folder });
  await cache.write(after);
  expect((await readdir(folder)).sort()).toEqual(["bundle.json", "ratchet.json"]);
  expect((await cache.read()).ratchet).toEqual(after.activation.ratchet);
}

/** What the process printed before it was killed, or came to its end. */
function run(args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH, ...compileCacheVariables };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
      if (error === null || error.signal === "SIGKILL") resolve(stdout);
      else reject(new Error(`${error.message}\n${stderr}`));
    });
  });
}
