// Every attack on a bundle's way, against a real runtime: it is refused by its own reason, the old bundle goes on
// enforcing, and the control plane shows the refusal.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromJson } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundle, BundleSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { isSampled, reportSample } from "../../scripts/assurance/sample.ts";
import { SigningKeys } from "../../src/domain/bundle/signing-keys.ts";
import { newSigningKey, type SigningKey } from "../../src/kit/crypto/signing-key.ts";
import { createSealer, parseMasterKeys } from "../../src/platform/seal.ts";
import { eventually } from "../harness/eventually.ts";
import { type AttackKit, attack, bundleAttacks } from "../harness/process/bundle-attack.ts";
import { hostAttacks } from "../harness/process/host-attack.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { listedRuntime } from "../harness/process/listed-runtime.ts";
import type { TestRuntime } from "../harness/process/runtime.ts";
import { startTamperingProxy, type TamperingProxy } from "../harness/process/tampering-proxy.ts";

const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;

/** Of those that fail by the same reason the suite tries the first, and some of the others. */
const tried = bundleAttacks.filter(
  ({ name, reason }, index) =>
    isSampled(name, 0.2) || bundleAttacks.findIndex((other) => other.reason === reason) === index,
);

/** Attacks are tried at the same time, each in a lane of its own. */
const lanes = 5;

interface Lane {
  readonly proxy: TamperingProxy;
  readonly runtime: TestRuntime;
  readonly folder: string;
}

describe("an attack on a bundle", () => {
  let home: Installation;
  let kit: Omit<AttackKit, "seqInForce">;
  const all: Lane[] = [];
  const free: Lane[] = [];

  beforeAll(async () => {
    home = await startInstallation();
    await home.createPolicy(policy);
    await home.publish();
    const [revoked] = await privateKeys();
    await home.call("POST", "/signing-keys/rotate", {});
    const olderKeys = (await pull(home.token)).keys;
    await home.call("POST", `/signing-keys/${revoked?.kid}/revoke`, {});
    await home.call("POST", "/signing-keys/rotate", {});
    await home.publish();
    // Once the process has heard of it.
    const older = await eventually(async () => {
      const bundle = await pull(home.token);
      expect(Buffer.from(bundle.activation?.payload ?? "", "base64url").toString()).toContain('"version":2');
      return bundle;
    });
    await home.publish();
    for (let i = 0; i < lanes; i++) all.push(await startLane());
    free.push(...all);
    const [, stolen] = await privateKeys();
    if (revoked === undefined || stolen === undefined || olderKeys === undefined) throw new Error("keys were made");
    kit = { own: newSigningKey(), stolen, revoked, older, foreign: await elsewhere(), olderKeys };
  });

  afterAll(async () => {
    reportSample({ n: tried.length, failures: 0 });
    await home.stop();
    await Promise.all(all.map(({ proxy }) => proxy.close()));
  });

  async function startLane(): Promise<Lane> {
    const proxy = await startTamperingProxy(home.url);
    // An attack on a file needs that file in the answer.
    proxy.sendsWhole = true;
    const folder = home.newFolder();
    const runtime = await home.startRuntime({ url: proxy.url, folder });
    await eventually(async () => expect((await runtime.loaded()).bundle?.version).toBe(3));
    return { proxy, runtime, folder };
  }

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

  it.concurrent.each(tried)("by $name is refused as $reason", async (each) => {
    const { reason, garble } = each;
    const lane = free.pop();
    if (lane === undefined) throw new Error("there are as many lanes as tests at a time");
    const { proxy, runtime, folder } = lane;
    let before: object | undefined;
    const seqInForce = async () => Number((await runtime.loaded()).bundle.activation_seq);
    proxy.tamper = (answer) => attack(each, answer, { ...kit, seqInForce });
    proxy.garble = garble;
    await home.publish();
    await eventually(async () => {
      const { rejection, bundle } = await runtime.loaded();
      expect(rejection).toMatch(new RegExp(`^${reason}: `));
      before = bundle;
    });
    await eventually(async () => {
      expect(await listedRuntime(home, folder)).toMatchObject({
        state: "rejected",
        rejection: expect.stringMatching(`^${reason}: `),
      });
    });
    const { body } = await runtime.evaluate({ text: "forbidden" });
    expect(body).toMatchObject({ blocked: true, bundle: before });
    proxy.tamper = undefined;
    proxy.garble = undefined;
    await home.publish();
    await eventually(async () => expect((await runtime.loaded()).rejection).toBeNull());
    free.push(lane);
  });

  it("is in the list of the documentation, with its reason", () => {
    const text = readFileSync(join(import.meta.dirname, "../../docs/bundles.md"), "utf8");
    const rows = [...text.matchAll(/^\| (.+) \| `([a-z_]+)` \|$/gm)].map(([, name, reason]) => ({ name, reason }));
    expect(rows).toEqual([...bundleAttacks, ...hostAttacks].map(({ name, reason }) => ({ name, reason })));
  });
});
