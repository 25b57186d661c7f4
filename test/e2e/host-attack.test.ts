// Attacks on a runtime's bundle by time, disk and cost: refused by their own reason, visible in the control plane, and
// what was in force goes on being enforced.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { createRunningClock } from "../harness/moved-clock.ts";
import { type HostAttack, hostAttacks } from "../harness/process/host-attack.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { listedRuntime } from "../harness/process/listed-runtime.ts";
import { startTamperingProxy } from "../harness/process/tampering-proxy.ts";
import { policyOf } from "../harness/vector/word-guard.ts";

const day = 86_400_000;

let home: Installation;

beforeAll(async () => {
  home = await startInstallation();
  await home.createPolicy(policyOf("forbidden"));
  await home.publish();
});

afterAll(() => home.stop());

/** A runtime with a bundle in force, and all that its attacker may touch. */
async function startHost(options: HostAttack["options"] = {}) {
  const [proxy, clock, folder] = [await startTamperingProxy(home.url), createRunningClock(), home.newFolder()];
  onTestFinished(() => proxy.close());
  let activation = "";
  proxy.tamper = (answer) => {
    activation = answer.activation;
  };
  const start = () => home.startRuntime({ url: proxy.url, folder, clock, ...options });
  let runtime = await start();
  onTestFinished(() => runtime.stop());
  await eventually(async () => expect((await runtime.loaded()).bundle?.version).toBeGreaterThan(0));
  return {
    ...{ home, proxy, clock, folder, activation: () => activation, runtime: () => runtime },
    async restart(between: () => void) {
      await runtime.stop();
      between();
      runtime = await start();
      return runtime;
    },
  };
}

describe("an attack on a host", () => {
  it.each(hostAttacks)("by a $name is refused as $reason", async ({ reason, isBare = false, options, strike }) => {
    const host = await startHost(options);
    const before = (await host.runtime().loaded()).bundle;
    await strike(host);
    const refusal = expect.stringMatching(`^${reason}: `);
    await eventually(async () => expect((await host.runtime().loaded()).rejection).toEqual(refusal));
    await eventually(async () =>
      expect(await listedRuntime(home, host.folder)).toMatchObject({ state: "rejected", rejection: refusal }),
    );
    const { status, body } = await host.runtime().evaluate({ text: "forbidden" });
    if (isBare) expect(status).toBe(503);
    else expect(body).toMatchObject({ blocked: true, bundle: { ...before, stale: expect.any(Boolean) } });
  });

  it("that sets its clock two days ahead changes nothing", async () => {
    const host = await startHost();
    host.clock.pass(2 * day);
    const version = await home.publish();
    await eventually(async () => expect((await host.runtime().loaded()).bundle.version).toBe(version));
    expect(await host.runtime().loaded()).toMatchObject({ rejection: null, bundle: { stale: false } });
  });
});
