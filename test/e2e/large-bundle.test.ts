// Bundles of all sizes that may be published: published, pulled, verified and put into force by a connected runtime.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyBundle } from "../../runtime/bundle/verify.ts";
import { runtimeVersion } from "../../runtime/bundle/version.ts";
import { isAssurance, reportSample } from "../../scripts/assurance/sample.ts";
import { Lists } from "../../src/domain/policy/list.ts";
import { maxBundleBytes, maxContentBytes } from "../../src/kit/bundle/bundle-size.ts";
import { trustKeys } from "../../src/kit/crypto/signing-key.ts";
import { eventually } from "../harness/eventually.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import type { TestRuntime } from "../harness/process/runtime.ts";

const megabyte = 1024 * 1024;
const itemBytes = 1000;
const names = Array.from({ length: 6 }, (_, index) => `list_${index}`);
const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
lists: {${names.map((name) => `${name}: {named: true}`).join(", ")}}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules:
${names
  .map(
    (name) =>
      `  - {id: ${name}, stages: [input], detect: words, unless: request.agent_id in lists.${name}, action: BLOCK}`,
  )
  .join("\n")}
`;
/** A machine that does other things may take so long for the largest. */
const limitMs = 120_000;

let home: Installation;
let runtime: TestRuntime;

beforeAll(async () => {
  home = await startInstallation();
  const lists = new Lists(home.plane.database);
  for (const name of names) await lists.create(home.world.caller, { name, items: ["nobody"] });
  await home.createPolicy(policy);
  await home.publish();
  runtime = await home.startRuntime();
  await eventually(async () => expect((await runtime.loaded()).bundle?.version).toBe(1));
});

afterAll(() => home.stop());

/** Fills the lists with so many bytes, which do not compress to less than half. */
async function fill(bytes: number): Promise<void> {
  const lists = new Lists(home.plane.database);
  const rows = (await home.call("GET", "/lists?limit=100")).lists;
  const count = Math.floor(bytes / names.length / (itemBytes + 3));
  for (const { id } of rows) {
    const items = Array.from({ length: count }, () => randomBytes(itemBytes / 2).toString("hex"));
    await lists.update(home.world.caller, id, { items });
  }
}

/** The largest takes a minute beside other tests: `npm run assurance -- large-bundle` tries it. */
const sizes: readonly (readonly [string, number])[] = [
  ["1 MB", megabyte],
  ["10 MB", 10 * megabyte],
  ...(isAssurance() ? [["50 MB", maxContentBytes - 64 * 1024] as const] : []),
];

afterAll(() => reportSample({ n: sizes.length, failures: 0 }));

describe("a bundle", () => {
  it.each(sizes)(
    "of %s is published, pulled, verified and enforced",
    async (_, bytes) => {
      await fill(bytes);
      const version = await home.publish();
      const headers = { authorization: `Bearer ${home.token}` };
      const { keys } = await (await fetch(`${home.url}/v1/bundles/keys`, { headers })).json();
      const { orgId, projectId, environment } = home.world;
      // The control plane gives the new one out once its database has told it of that.
      const found = await eventually(async () => {
        const answer = await fetch(`${home.url}/v1/bundles/latest`, { headers });
        expect(answer.status).toBe(200);
        const verified = await verifyBundle({
          ...{ bundle: new Uint8Array(await answer.arrayBuffer()), trust: trustKeys(keys) },
          ...{ scope: { orgId, projectId, environment }, ratchet: undefined },
          ...{ now: new Date(), from: "network", maxBytes: maxBundleBytes, runtimeVersion },
        });
        expect(verified.manifest.version).toBe(version);
        return verified;
      });
      const size = [...found.parts.values()].reduce((sum, part) => sum + part.byteLength, 0);
      expect(Math.abs(size / bytes - 1)).toBeLessThan(0.02);
      await eventually(
        async () => expect(await runtime.loaded()).toMatchObject({ bundle: { version }, rejection: null }),
        limitMs,
      );
      expect((await runtime.evaluate({ text: "forbidden" })).body).toMatchObject({
        blocked: true,
        bundle: { version },
      });
    },
    2 * limitMs,
  );
});
