// Overrides on a live runtime: set by an admin, honoured within moments beside a candidate, ended by its end, by hand
// and never by an outage.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../scripts/assurance/sample.ts";
import { eventually } from "../harness/eventually.ts";
import { createRunningClock } from "../harness/moved-clock.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import type { TestRuntime } from "../harness/process/runtime.ts";

const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;
const hourMs = 3_600_000;

describe("an override", () => {
  const clock = createRunningClock();
  let home: Installation;
  let runtime: TestRuntime;
  let folder: string;
  let policyId: string;

  beforeAll(async () => {
    home = await startInstallation();
    policyId = await eventually(() => home.createPolicy(policy));
    await home.publish();
    folder = home.newFolder();
    runtime = await home.startRuntime({ folder, clock });
    await eventually(async () => expect(await ask()).toBe("BLOCK"));
  });

  afterAll(() => home?.stop());

  async function ask(): Promise<string> {
    const { status, body } = await runtime.evaluate({ text: "this is forbidden" });
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.outcome;
  }

  const path = () => `/projects/${home.world.projectId}/envs/${home.world.environment}`;
  const set = (hours: number) =>
    home.call("POST", `${path()}/overrides`, {
      // An id is the same in either spelling.
      ...{ policy_id: policyId.toUpperCase(), rule_id: "word", reason: "too strict", hours },
    });

  it("is live on a runtime beside a running candidate, and ends by hand", { timeout: 300_000 }, async () => {
    await home.call("PUT", `/policies/${policyId}`, { document: policy.replace("[forbidden]", "[forbidden, harsh]") });
    await home.call("POST", `${path()}/bundles/publish`, {});
    await home.call("POST", `${path()}/bundles/2/candidate`, {});
    const full = async (text = "forbidden") => (await runtime.evaluate({ text, options: { detail: "full" } })).body;
    await eventually(async () => expect((await full()).candidate).toMatchObject({ version: 2, outcome: "BLOCK" }));
    const { activation_seq: seq } = await set(2);
    await eventually(async () => expect(await ask()).toBe("ALLOW"));
    expect((await runtime.loaded()).bundle).toMatchObject({ version: 1, activation_seq: seq });
    // The candidate stays. Both are compared without the override, so that it does not hide what a change of the rule
    // blocks newly when it has ended.
    const judged = await full();
    expect(judged).toMatchObject({ outcome: "ALLOW", candidate: { version: 2, outcome: "BLOCK", changed: false } });
    expect((await full("harsh")).candidate).toEqual({ version: 2, outcome: "BLOCK", changed: true });
    await runtime.evaluate({ text: "too harsh" });
    await eventually(async () => {
      const { counts } = await home.call("GET", `${path()}/candidate`);
      expect(counts).toMatchObject([
        { active_outcome: "ALLOW", candidate_outcome: "BLOCK", evaluations: 2 },
        { active_outcome: "BLOCK", candidate_outcome: "BLOCK" },
      ]);
    });
    expect(await home.call("GET", `${path()}/candidate`)).toMatchObject({ version: 2, active_version: 1 });
    await says(judged.evaluation_id, seq);
    const { overrides } = await home.call("GET", `${path()}/overrides`);
    expect(overrides).toHaveLength(1);
    await home.call("DELETE", `${path()}/overrides/${overrides[0].id}`);
    await eventually(async () => expect(await ask()).toBe("BLOCK"));
    expect((await runtime.loaded()).bundle).toMatchObject({ version: 1, activation_seq: seq + 1 });
  });

  /** Holds the trace against its activation, and its replay against what the policies say without the override. */
  async function says(id: string, seq: number): Promise<void> {
    const trace = await eventually(() => home.call("GET", `/traces/${id}?view=full`));
    expect(trace).toMatchObject({ outcome: "ALLOW", bundle: { version: 1, activation_seq: seq } });
    expect(trace.findings).toMatchObject([{ rule_id: "word", mode: "shadow" }]);
    const { projectId: project_id, environment } = home.world;
    const replay = await home.call("POST", `/traces/${id}/replay`, { bundle: { project_id, environment, version: 1 } });
    expect(replay).toMatchObject({ outcome: "BLOCK", exactness: "exact", changed: true });
  }

  it("stays with its rule when another version is activated, and when that is rolled back", async () => {
    const { activation_seq: seq } = await set(2);
    for (const version of [2, 1]) {
      await home.call("POST", `${path()}/bundles/${version}/activate`, {});
      await eventually(async () => expect((await runtime.loaded()).bundle.version).toBe(version));
      expect(await ask()).toBe("ALLOW");
    }
    const { overrides } = await home.call("GET", `${path()}/overrides`);
    expect(overrides).toMatchObject([{ activation_seq: seq }]);
    await home.call("DELETE", `${path()}/overrides/${overrides[0].id}`);
    await eventually(async () => expect(await ask()).toBe("BLOCK"));
  });

  it("reaches every runtime of a fleet, stays over a restart, and leaves each of them", {
    timeout: 900_000,
  }, async () => {
    const { n } = sampleOf({ n: 2, seed: 1 });
    const folders = Array.from({ length: n }, () => home.newFolder());
    let fleet = await Promise.all(folders.map((own) => home.startRuntime({ folder: own, clock })));
    const say = (outcome: string) =>
      eventually(async () => {
        const answers = await Promise.all(fleet.map((each) => each.evaluate({ text: "this is forbidden" })));
        expect(answers.map(({ body }) => body.outcome)).toEqual(fleet.map(() => outcome));
      }, 300_000);
    await say("BLOCK");
    const beganMs = performance.now();
    const { id, activation_seq: seq } = await set(2);
    await say("ALLOW");
    const live_ms = Math.round(performance.now() - beganMs);
    const seqs = await Promise.all(fleet.map(async (each) => (await each.loaded()).bundle.activation_seq));
    expect(seqs).toEqual(fleet.map(() => seq));
    const again = fleet.slice(0, Math.ceil(n / 2));
    await Promise.all(again.map((each) => each.stop()));
    const back = await Promise.all(again.map((_, at) => home.startRuntime({ folder: folders[at] ?? "", clock })));
    fleet = [...back, ...fleet.slice(back.length)];
    await say("ALLOW");
    await home.call("DELETE", `${path()}/overrides/${id}`);
    await say("BLOCK");
    await Promise.all(fleet.map((each) => each.stop()));
    reportSample({ n, failures: 0, figures: { live_ms } });
  });

  it("survives an outage and a restart, and ends by the clock of the runtime", { timeout: 300_000 }, async () => {
    await set(2);
    await eventually(async () => expect(await ask()).toBe("ALLOW"));
    await home.stopControlPlane();
    await runtime.stop();
    runtime = await home.startRuntime({ folder, clock });
    await eventually(async () => expect(await ask()).toBe("ALLOW"));
    clock.pass(2 * hourMs + 1_000);
    expect(await ask()).toBe("BLOCK");
    await home.startControlPlane();
  });
});
