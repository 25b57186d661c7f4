// Promotion at work: at the same moment, and all the way to a runtime of the target.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBundle } from "../../../src/store/bundle/bundle.ts";
import { findEnvironment } from "../../../src/store/project/environment.ts";
import { eventually } from "../../harness/eventually.ts";
import { type Installation, startInstallation } from "../../harness/process/installation.ts";

let home: Installation;

beforeAll(async () => {
  home = await startInstallation();
  await home.createPolicy(`apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`);
  await home.publish();
});

afterAll(() => home.stop());

describe("a promotion", () => {
  it("reaches the runtimes of the target, with the content of the source under a signature of its own", async () => {
    const { projectId } = home.world;
    const { token } = await home.call("POST", "/tokens/runtime", { project_id: projectId, environment: "staging" });
    const folder = home.newFolder();
    const runtime = await home.startRuntime({ token, folder });
    await eventually(async () => expect((await listed("staging"))[0]).toMatchObject({ state: "behind" }));
    const promoted = await promote("staging");
    await eventually(async () =>
      expect((await runtime.evaluate({ text: "forbidden" })).body).toMatchObject({
        blocked: true,
        bundle: { version: promoted.version },
      }),
    );
    const instanceId = readFileSync(join(folder, "instance-id"), "utf8").trim();
    await eventually(async () =>
      expect(await listed("staging")).toMatchObject([
        { instance_id: instanceId, state: "active", bundle_version: 1, activation_seq: 1, connected: true },
      ]),
    );
    const [source, target] = await Promise.all([stored("dev", 1), stored("staging", 1)]);
    expect(target?.contentDigest).toBe(source?.contentDigest);
    expect(target?.parts).toEqual(source?.parts);
    expect(target?.digest).not.toBe(source?.digest);
    expect(target?.manifest.signatures).not.toEqual(source?.manifest.signatures);
    // Forgotten while it runs: it is there again when it next says how it stands.
    await home.call("DELETE", `${envPath("staging")}/runtimes/${instanceId}`);
    await eventually(async () => expect(await listed("staging")).toMatchObject([{ state: "active" }]));
    await runtime.stop();
  });

  it("of two that expect the same version one wins, and the other is told the version", async () => {
    const promotions = [promote("prod", { expected_version: 0 }), promote("prod", { expected_version: 0 })];
    const results = await Promise.allSettled(promotions);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const lost = results.find((result) => result.status === "rejected");
    expect(String(lost?.reason)).toMatch(/409 .*"bundle_version_conflict".*"current_version":1/);
  });

  it("of two that expect nothing both win, and the later one is in force", async () => {
    const before = (await place("prod"))?.latestVersion ?? 0;
    const both = await Promise.all([promote("prod"), promote("prod")]);
    expect(both.map(({ version }) => version).sort()).toEqual([before + 1, before + 2]);
    expect(await place("prod")).toMatchObject({ latestVersion: before + 2, activeVersion: before + 2 });
  });

  it("in circles, all at once, ends: each environment has each of its versions once", async () => {
    const ring = [
      ["dev", "staging"],
      ["staging", "prod"],
      ["prod", "dev"],
    ] as const;
    const before = await Promise.all(ring.map(async ([, target]) => (await place(target))?.latestVersion ?? 0));
    const rounds = ring.flatMap(([source, target]) => [1, 2, 3].map(() => promote(target, {}, source)));
    const versions = (await Promise.all(rounds)).map(({ version }) => version);
    for (const [index, start] of before.entries()) {
      expect(versions.slice(index * 3, index * 3 + 3).sort((a, b) => a - b)).toEqual([start + 1, start + 2, start + 3]);
    }
  });

  it("and a freeze at the same moment: what is in force afterwards came before it", async () => {
    const freeze = (isFrozen: boolean) =>
      home.call("PATCH", `/projects/${home.world.projectId}/environments/staging`, { is_frozen: isFrozen });
    const promotions = Promise.allSettled([1, 2, 3, 4].map(() => promote("staging")));
    await freeze(true);
    const active = (await place("staging"))?.activeVersion;
    for (const result of await promotions) {
      if (result.status === "rejected") expect(String(result.reason)).toMatch(/409 .*"conflict"/);
      else expect(result.value.version).toBeLessThanOrEqual(active ?? 0);
    }
    await expect(promote("staging")).rejects.toThrow(/409 .*"conflict"/);
    expect((await place("staging"))?.activeVersion).toBe(active);
    await freeze(false);
    await promote("staging");
  });
});

function envPath(environment: string): string {
  return `/projects/${home.world.projectId}/envs/${environment}`;
}

function promote(target: string, input: object = {}, source = "dev"): Promise<{ version: number }> {
  return home.call("POST", `${envPath(source)}/promote`, { target_env: target, ...input });
}

async function listed(environment: string): Promise<object[]> {
  return (await home.call("GET", `${envPath(environment)}/runtimes`)).runtimes;
}

function place(environment: string) {
  const { orgId, projectId } = home.world;
  return home.plane.database.read(orgId, (tx) => findEnvironment(tx, projectId, environment));
}

function stored(environment: string, version: number) {
  const { orgId, projectId } = home.world;
  return home.plane.database.read(orgId, async (tx) => {
    const found = await findEnvironment(tx, projectId, environment);
    return found && findBundle(tx, found.id, version);
  });
}
