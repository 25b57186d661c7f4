// A candidate from its start to its end, with a real runtime.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import type { TestRuntime } from "../harness/process/runtime.ts";

function policyOf(action: string): string {
  return `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: ${action}}]
`;
}

describe("a candidate", () => {
  let home: Installation;
  let runtime: TestRuntime;
  let path: string;
  let policyId: string;

  beforeAll(async () => {
    home = await startInstallation();
    path = `/projects/${home.world.projectId}/envs/${home.world.environment}`;
    policyId = await home.createPolicy(policyOf("FLAG"));
    await home.publish();
    runtime = await home.startRuntime();
    await eventually(async () => expect((await runtime.evaluate({ text: "forbidden" })).body.outcome).toBe("FLAG"));
  });

  afterAll(() => home.stop());

  const start = async (action: string, options: object = {}): Promise<number> => {
    await home.call("PUT", `/policies/${policyId}`, { document: policyOf(action) });
    const { version } = await home.call("POST", `${path}/bundles/publish`, {});
    await home.call("POST", `${path}/bundles/${version}/candidate`, options);
    return version;
  };
  const full = async (text: string) => (await runtime.evaluate({ text, options: { detail: "full" } })).body;

  it("is evaluated beside the active version, never enforced, and shown with counts and samples", async () => {
    const version = await start("BLOCK");
    await eventually(async () => expect((await full("forbidden")).candidate).not.toBeNull());
    expect((await full("forbidden")).candidate).toEqual({ version, outcome: "BLOCK", changed: true });
    expect((await full("fine")).candidate).toEqual({ version, outcome: "ALLOW", changed: false });
    const { body } = await runtime.evaluate({ text: "a forbidden word" });
    expect(body).toMatchObject({ outcome: "FLAG", blocked: false, candidate: null, bundle: { version: 1 } });
    for (let i = 0; i < 5; i++) await runtime.evaluate({ text: "fine" });
    const id = body.evaluation_id;
    await eventually(async () => {
      const found = await home.call("GET", `${path}/candidate`);
      expect(found).toMatchObject({ version, active_version: 1, failed: 0 });
      expect(found.disagreements).toBeGreaterThanOrEqual(2);
      expect(found.evaluations).toBeGreaterThan(found.disagreements);
      expect(found.samples).toContainEqual(
        expect.objectContaining({ evaluation_id: id, candidate_outcome: "BLOCK", candidate_rule: "word" }),
      );
      expect(JSON.stringify(found)).not.toContain("forbidden");
    });
  });

  it("is put into force by activating it, which ends the comparison", async () => {
    const { version } = await home.call("GET", `${path}/candidate`);
    await home.call("POST", `${path}/bundles/${version}/activate`, {});
    await eventually(async () => expect((await full("forbidden")).bundle.version).toBe(version));
    expect((await full("forbidden")).candidate).toBeNull();
    await expect(home.call("GET", `${path}/candidate`)).rejects.toThrow("404");
  });

  it("is dropped by one call, and runtimes stop evaluating it", async () => {
    await start("FLAG");
    await eventually(async () => expect((await full("forbidden")).candidate).toMatchObject({ outcome: "FLAG" }));
    await home.call("DELETE", `${path}/candidate`);
    await eventually(async () => expect((await full("forbidden")).candidate).toBeNull());
  });

  it("gets from a busy runtime at most what its queue holds: no answer waits, and skipped evaluations are counted", async () => {
    await start("REDACT");
    await eventually(async () => expect((await full("forbidden")).candidate).not.toBeNull());
    const answers = await Promise.all(Array.from({ length: 300 }, () => runtime.evaluate({ text: "forbidden" })));
    expect(answers.every(({ status, body }) => status === 200 && body.outcome === "BLOCK")).toBe(true);
    await eventually(async () => {
      const { evaluations, skipped, failed } = await home.call("GET", `${path}/candidate`);
      expect(failed).toBe(0);
      expect(evaluations + skipped).toBeGreaterThanOrEqual(300);
    });
  });
});
