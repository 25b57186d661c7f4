// Bundles as large as they may be, from the control plane's tables into force, and over REST.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verifyBundle } from "../../runtime/bundle/verify.ts";
import { runtimeVersion } from "../../runtime/version.ts";
import { activate } from "../../src/domain/activation.ts";
import { requireContentSize } from "../../src/domain/bundle-content.ts";
import { signBundle } from "../../src/domain/bundle-sign.ts";
import { SigningKeys } from "../../src/domain/signing-keys.ts";
import { maxBundleBytes, maxContentBytes } from "../../src/kit/bundle-size.ts";
import { createSealer, parseMasterKeys } from "../../src/kit/seal.ts";
import { trustKeys } from "../../src/kit/signing-key.ts";
import { partEntry } from "../../src/kit/statement-payload.ts";
import { findBundle, storeParts } from "../../src/store/bundle.ts";
import { lockEnvironment } from "../../src/store/environment.ts";
import { eventually } from "../harness/eventually.ts";
import { type Installation, startInstallation } from "../harness/installation.ts";
import type { TestRuntime } from "../harness/runtime.ts";

const mebibyte = 1024 * 1024;

let home: Installation;
let runtime: TestRuntime;

beforeAll(async () => {
  home = await startInstallation();
  await home.createPolicy(`apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`);
  await home.publish();
  runtime = await home.startRuntime();
});

afterAll(() => home.stop());

/** The policies of the first version beside weights that nothing compresses, signed and activated as any other version. */
function publishOf(sizeBytes: number): Promise<number> {
  const { caller, projectId, environment: name } = home.world;
  const { database } = home.plane;
  const keys = new SigningKeys(database, createSealer({ masterKeys: parseMasterKeys(home.masterKey) }));
  return database.transaction(caller, async (tx) => {
    const environment = await lockEnvironment(tx, projectId, name);
    const first = environment && (await findBundle(tx, environment.id, 1));
    if (environment == null || first == null) throw new Error("there is a first version");
    const data = randomBytes(sizeBytes - first.sizeBytes);
    const weights = { ...partEntry("models/filler.bin", data), data };
    await storeParts(tx, [weights]);
    const { path, size, digest } = weights;
    const parts = [{ path, size, digest }, ...first.parts];
    requireContentSize(parts);
    const draft = { parts, policies: first.policies, tests: { passed: 0, failed: 0 }, source: "publish" };
    const bundle = await signBundle(tx, keys, { caller, environment, draft: { ...draft, message: undefined } });
    await activate(tx, keys, { environment, bundle, author: "test" });
    tx.changed({ resource: `bundle/${bundle.id}`, before: null, after: null });
    return bundle.version;
  });
}

it.each([1, 10, maxContentBytes / mebibyte])(
  "a bundle of %i MiB is pulled, verified and put into force, and holds from a file",
  async (mebibytes) => {
    const version = await publishOf(mebibytes * mebibyte);
    await eventually(async () => {
      const { body } = await runtime.evaluate({ text: "forbidden" });
      expect(body).toMatchObject({ blocked: true, bundle: { version } });
    }, 60_000);
    expect((await runtime.loaded()).rejection).toBeNull();

    // Nothing here becomes smaller by compression.
    const headers = { authorization: `Bearer ${home.token}`, "accept-encoding": "identity" };
    const file = new Uint8Array(await (await fetch(`${home.url}/v1/bundles/latest`, { headers })).arrayBuffer());
    const { keys } = await (await fetch(`${home.url}/v1/bundles/keys`, { headers })).json();
    const { orgId, projectId, environment } = home.world;
    const found = await verifyBundle({
      ...{ bundle: file, trust: trustKeys(keys), scope: { orgId, projectId, environment } },
      ...{ ratchet: undefined, now: new Date(), from: "network", maxBytes: maxBundleBytes, runtimeVersion },
    });
    const sizeBytes = found.parts.values().reduce((sum, data) => sum + data.byteLength, 0);
    expect([found.manifest.version, sizeBytes]).toEqual([version, mebibytes * mebibyte]);
  },
  120_000,
);
