// Quota leases with real runtimes over real streams: nobody gets more than the plan, nobody waits, nothing stops while
// the control plane is away. `npm run assurance -- quota-fleet --n 50` takes fifty runtimes.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../scripts/assurance/sample.ts";
import { PasswordHasher } from "../../src/domain/identity/password-hash.ts";
import { Operator } from "../../src/domain/operator/operator.ts";
import { addUsage } from "../../src/store/billing/usage.ts";
import { eventually } from "../harness/eventually.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { readCounters } from "../harness/process/quota-world.ts";
import type { TestRuntime } from "../harness/process/runtime.ts";

const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;
const limit = 10_000;
const { n: fleet } = sampleOf({ n: 3, seed: 1 });

describe("the quota of a plan", () => {
  let home: Installation;

  beforeEach(async () => {
    home = await startInstallation({ plan: "free" });
    await home.createPolicy(policy);
    await home.publish();
  });

  afterEach(() => home.stop());

  const use = (evaluations: number) =>
    home.plane.database.systemTransaction(home.world.orgId, (tx) =>
      addUsage(tx, new Map([[`${tx.now.toISOString().slice(0, 7)}-01`, evaluations]])),
    );
  const usage = () => home.call("GET", "/usage");
  const start = async (): Promise<TestRuntime> => {
    const runtime = await home.startRuntime();
    await eventually(async () => expect((await runtime.loaded()).bundle?.version).toBe(1));
    await eventually(async () => expect(await runtime.metric("quota_lease_evaluations")).toBeGreaterThan(0));
    return runtime;
  };
  const reported = (runtime: TestRuntime) =>
    eventually(async () => expect(await runtime.metric("spool_records")).toBe(0));

  it("is shared by runtimes under load, and never exceeded", async () => {
    await use(limit - 40 * fleet);
    const runtimes: TestRuntime[] = [];
    for (let i = 0; i < fleet; i++) runtimes.push(await start());
    const statuses: number[] = [];
    await Promise.all(
      runtimes.map(async (runtime) => {
        for (let i = 0; i < 100; i++) {
          const { status, body } = await runtime.evaluate({ text: "forbidden" });
          statuses.push(status);
          if (status !== 200) expect(body.detail).toMatchObject({ error: "plan_limit_exceeded", limit });
        }
      }),
    );
    // One after the other: fifty that ask at once, over and over, would leave the runtimes no time to report.
    for (const runtime of runtimes) await reported(runtime);
    const made = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 403]));
    const [month] = await readCounters(home.plane.database, home.world.orgId);
    if (month === undefined) throw new Error("a month was counted");
    const excess = Math.max(0, month.evaluations - month.overage + month.outstanding - limit);
    expect({ excess, evaluations: month.evaluations }).toEqual({ excess: 0, evaluations: limit - 40 * fleet + made });
    reportSample({ n: fleet, failures: excess });
  });

  it("does not stop a runtime whose control plane is away; evaluations without a lease are overage", async () => {
    await use(limit - 10);
    const runtime = await start();
    await home.stopControlPlane();
    await eventually(async () => expect(await runtime.metric("reporting_stream_connected")).toBe(0));
    for (let i = 0; i < 25; i++) expect((await runtime.evaluate({ text: "forbidden" })).status).toBe(200);
    await home.startControlPlane();
    await eventually(async () => {
      expect(await usage()).toMatchObject({ evaluations: limit + 15, remaining: 0 });
      expect((await usage()).overage_evaluations).toBeGreaterThanOrEqual(15);
    });
    await eventually(async () => {
      const { status, body } = await runtime.evaluate({ text: "forbidden" });
      expect([status, body.detail?.error]).toEqual([403, "plan_limit_exceeded"]);
    });
  });

  it("refuses with 402 once the operator blocks, and goes on when a larger plan is there", async () => {
    const runtime = await start();
    const { orgId } = home.world;
    const options = { actor: "operator:ada", isDryRun: false, defaultPlan: "free", graceMs: 0 } as const;
    const operator = new Operator(home.plane.database, new PasswordHasher(), options);
    await operator.block(orgId, "no payment");
    await eventually(async () => {
      const { status, body } = await runtime.evaluate({ text: "forbidden" });
      expect([status, body.detail?.error]).toEqual([402, "payment_required"]);
    });
    await use(limit);
    await operator.unblock(orgId, "paid");
    await eventually(async () => {
      const { status, body } = await runtime.evaluate({ text: "forbidden" });
      expect([status, body.detail?.error]).toEqual([403, "plan_limit_exceeded"]);
      expect(body.detail?.message).toContain(`npm run operator -- set-plan ${orgId} enterprise`);
    });
    await operator.setPlan(orgId, "enterprise");
    await eventually(async () => expect((await runtime.evaluate({ text: "forbidden" })).status).toBe(200));
  });
});
