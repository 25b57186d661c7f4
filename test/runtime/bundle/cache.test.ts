import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBundleCache } from "../../../runtime/bundle/cache.ts";
import { verifyBundle } from "../../../runtime/bundle/verify.ts";
import { checkOf, hours, now, signedBundle } from "./signed-bundle.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "policy-guard-cache-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the bundle on disk", () => {
  it("is absent at first, which is not a failure", async () => {
    const cache = createBundleCache({ folder: join(folder, "not-yet") });
    expect(await cache.read()).toEqual({ bundle: undefined, ratchet: undefined });
  });

  it("verifies again after a restart, with its ratchet", async () => {
    const adopted = await verifyBundle(checkOf(await signedBundle({ seq: 5 })));
    await createBundleCache({ folder: join(folder, "new") }).write(adopted);
    const { bundle, ratchet } = await createBundleCache({ folder: join(folder, "new") }).read();
    expect(ratchet).toEqual(adopted.activation.ratchet);
    const again = await verifyBundle(checkOf(bundle ?? new Uint8Array(), { ratchet, from: "disk" }));
    expect(again.digest).toBe(adopted.digest);
  });

  it("keeps the fresh activation of a refresh", async () => {
    const cache = createBundleCache({ folder });
    const adopted = await verifyBundle(checkOf(await signedBundle()));
    const fresh = await verifyBundle(checkOf(await signedBundle({ activation: { expires_at: hours(200) } })));
    await cache.write({ bundle: adopted.bundle, activation: fresh.activation });
    const { bundle = new Uint8Array() } = await cache.read();
    const read = await verifyBundle(checkOf(bundle, { from: "disk" }));
    expect(read.activation.payload.expires_at).toBe(hours(200));
  });

  it("is refused when a byte of it changed on disk", async () => {
    const cache = createBundleCache({ folder });
    await cache.write(await verifyBundle(checkOf(await signedBundle())));
    const bytes = await readFile(join(folder, "bundle.json"));
    const at = bytes.indexOf('"data"') + 10;
    bytes[at] = bytes[at] === 0x41 ? 0x42 : 0x41;
    await writeFile(join(folder, "bundle.json"), bytes);
    const { bundle = new Uint8Array(), ratchet } = await cache.read();
    await expect(verifyBundle(checkOf(bundle, { ratchet, from: "disk" }))).rejects.toThrow(
      "does not have the digest that the manifest says",
    );
  });

  it("is refused when an older one is put in its place", async () => {
    const cache = createBundleCache({ folder });
    await cache.write(await verifyBundle(checkOf(await signedBundle({ seq: 1 }))));
    const old = await readFile(join(folder, "bundle.json"));
    await cache.write(await verifyBundle(checkOf(await signedBundle({ seq: 2, version: 2 }))));
    await writeFile(join(folder, "bundle.json"), old);
    const { bundle = new Uint8Array(), ratchet } = await cache.read();
    await expect(verifyBundle(checkOf(bundle, { ratchet, from: "disk" }))).rejects.toThrow("older than 2");
  });

  it("is read although the ratchet is damaged", async () => {
    const cache = createBundleCache({ folder });
    await cache.write(await verifyBundle(checkOf(await signedBundle())));
    for (const text of ["", "{", "null", '{"activationSeq":"1"}', "[]"]) {
      await writeFile(join(folder, "ratchet.json"), text);
      expect(await cache.read()).toMatchObject({ ratchet: undefined, bundle: expect.anything() });
    }
  });

  it("is the last one written when several are written at once, and leaves nothing else behind", async () => {
    const cache = createBundleCache({ folder });
    const all = await Promise.all([1, 2, 3, 4, 5].map((seq) => signedBundle({ seq, version: seq })));
    const verified = await Promise.all(all.map((bundle) => verifyBundle(checkOf(bundle, { now }))));
    await Promise.all(verified.map((bundle) => cache.write(bundle)));
    expect((await cache.read()).ratchet?.activationSeq).toBe(5);
    expect((await readdir(folder)).sort()).toEqual(["bundle.json", "ratchet.json"]);
  });

  it("stays as it was when the disk refuses the new one", async () => {
    const cache = createBundleCache({ folder });
    const first = await verifyBundle(checkOf(await signedBundle({ seq: 1 })));
    await cache.write(first);
    // A directory in the way of the temporary file: opening it for writing fails as a full disk would.
    await mkdir(join(folder, "bundle.json.new", "x"), { recursive: true });
    const second = await verifyBundle(checkOf(await signedBundle({ seq: 2, version: 2 })));
    await expect(cache.write(second)).rejects.toThrow();
    const { bundle = new Uint8Array() } = await cache.read();
    expect((await verifyBundle(checkOf(bundle, { from: "disk" }))).digest).toBe(first.digest);
  });
});
