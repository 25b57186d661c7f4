// Every attack on a bundle's way, against a real runtime: it is refused by its own reason, the old bundle goes on enforcing, and the
// control plane shows the refusal.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromJson } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundle, BundleSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { SigningKeys } from "../../src/domain/signing-keys.ts";
import { createSealer, parseMasterKeys } from "../../src/kit/seal.ts";
import { newSigningKey, type SigningKey } from "../../src/kit/signing-key.ts";
import { type AttackKit, bundleAttacks } from "../harness/bundle-attack.ts";
import { eventually } from "../harness/eventually.ts";
import { type Installation, startInstallation } from "../harness/installation.ts";
import type { TestRuntime } from "../harness/runtime.ts";
import { startTamperingProxy, type TamperingProxy } from "../harness/tampering-proxy.ts";

const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;

describe("an attack on a bundle", () => {
  let home: Installation;
  let proxy: TamperingProxy;
  let runtime: TestRuntime;
  let kit: AttackKit;

  beforeAll(async () => {
    home = await startInstallation();
    await home.createPolicy(policy);
    await home.publish();
    const older = await pull(home.token);
    const [revoked] = await privateKeys();
    await home.call("POST", "/signing-keys/rotate", {});
    const olderKeys = (await pull(home.token)).keys;
    proxy = await startTamperingProxy(home.url);
    runtime = await home.startRuntime({ url: proxy.url });
    await eventually(async () => expect((await runtime.loaded()).bundle?.version).toBe(1));
    await home.call("POST", `/signing-keys/${revoked?.kid}/revoke`, {});
    await home.call("POST", "/signing-keys/rotate", {});
    await home.publish();
    await eventually(async () => expect((await runtime.loaded()).bundle?.version).toBe(2));
    const [, stolen] = await privateKeys();
    if (revoked === undefined || stolen === undefined || olderKeys === undefined) throw new Error("keys were made");
    kit = { own: newSigningKey(), stolen, revoked, older, foreign: await elsewhere(), olderKeys };
  });

  afterAll(async () => {
    await home.stop();
    await proxy.close();
  });

  async function pull(token: string): Promise<Bundle> {
    const answer = await fetch(`${home.url}/v1/bundles/latest`, { headers: { authorization: `Bearer ${token}` } });
    return fromJson(BundleSchema, await answer.json());
  }

  async function elsewhere(): Promise<Bundle> {
    const { projectId } = home.world;
    await home.call("POST", `/projects/${projectId}/envs/staging/bundles/publish`, { activate: true });
    const { token } = await home.call("POST", "/tokens/runtime", {
      name: "e",
      project_id: projectId,
      environment: "staging",
    });
    return pull(token);
  }

  function privateKeys(): Promise<SigningKey[]> {
    const { database } = home.plane;
    const keys = new SigningKeys(database, createSealer({ masterKeys: parseMasterKeys(home.masterKey) }));
    return database.systemTransaction(home.world.orgId, async (tx) => {
      const signing = await keys.signing(tx);
      return signing.filter((key): key is SigningKey => "privateKey" in key);
    });
  }

  const listed = async () => {
    const { projectId, environment } = home.world;
    return (await home.call("GET", `/projects/${projectId}/envs/${environment}/runtimes`)).runtimes[0];
  };

  it.each(bundleAttacks)("by a $name is refused as $reason", async ({ reason, mischief }) => {
    const before = (await runtime.loaded()).bundle;
    proxy.tamper = (bundle) => mischief(bundle, kit);
    await home.publish();
    await eventually(async () => expect((await runtime.loaded()).rejection).toMatch(new RegExp(`^${reason}: `)));
    expect((await runtime.evaluate({ text: "forbidden" })).body).toMatchObject({
      blocked: true,
      bundle: { version: before.version, digest: before.digest },
    });
    await eventually(async () => {
      expect(await listed()).toMatchObject({ state: "rejected", rejection: expect.stringMatching(`^${reason}: `) });
    });
    proxy.tamper = undefined;
    await home.publish();
    await eventually(async () => expect((await runtime.loaded()).rejection).toBeNull());
  });

  it("is in the list of the documentation, with its reason", () => {
    const text = readFileSync(join(import.meta.dirname, "../../docs/bundles.md"), "utf8");
    const rows = [...text.matchAll(/^\| (.+) \| `([a-z_]+)` \|$/gm)].map(([, name, reason]) => ({ name, reason }));
    expect(rows).toEqual(bundleAttacks.map(({ name, reason }) => ({ name, reason })));
  });
});
