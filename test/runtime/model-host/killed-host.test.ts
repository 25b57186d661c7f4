// A host of models that is killed while evaluations need it: each of them is answered, scored or `unjudged` with the
// reason, and what the detector itself finds is blocked throughout. `npm run assurance -- model-kills` kills 200.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimeSchema } from "../../../runtime/config.ts";
import { type Runtime, startRuntime } from "../../../runtime/runtime.ts";
import { standalone } from "../../../runtime/standalone.ts";
import { reportProgress, reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { systemClock } from "../../../src/kit/process/clock.ts";
import { readConfig } from "../../../src/kit/process/config.ts";
import { shutDown } from "../../../src/kit/process/shutdown.ts";
import { signedBundle } from "../../harness/bundle.ts";
import { eventually } from "../../harness/eventually.ts";
import { hasAddon, startModelHost, type TestHost } from "../../harness/model/model-host.ts";
import { tinyTexts, writeTinyModel } from "../../harness/model/tiny-model.ts";

const { n: kills } = sampleOf({ n: 1, seed: 1 });
const callers = 4;
const log = createLog({ name: "test", level: "silent" });
/** Why a model may say nothing while its host goes and comes. */
const reasons = ["model_crash", "model_busy", "circuit_open", "timeout"];
const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: guard}
defaults: {timeout_ms: 30000}
detectors:
  words: {use: keywords, keywords: [forbidden], backend: tiny, threshold: 0.7, on_error: fail_open}
rules:
  - {id: words, stages: [input], detect: words, action: BLOCK}
`;

describe.skipIf(!hasAddon)("a host of models that is killed under load", () => {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-killed-host-"));
  let host: TestHost;
  let runtime: Runtime;

  beforeAll(async () => {
    // Each host counts as one that lived long: otherwise the next ones would be waited for, longer each time.
    host = await startModelHost((models) => writeTinyModel(join(models, "tiny")), { settledMs: 0 });
    const backend = { key: "tiny", url: "model:tiny", shape: "onnx-text-classification", timeout_ms: 20_000 };
    const { json, key } = await signedBundle([policy], { backends: [{ ...backend, auth_header: null }] });
    const files = { bundle: join(folder, "bundle.json"), key: join(folder, "key.json") };
    writeFileSync(files.bundle, json);
    writeFileSync(files.key, JSON.stringify(key.publicJwk));
    const config = readConfig(runtimeSchema, {
      ...{ RUNTIME_PORT: "0", RUNTIME_MANAGEMENT_PORT: "0", POLICY_GUARD_DATA: join(folder, "data") },
    });
    const source = await standalone(config, files, { noAuth: true, clock: systemClock });
    runtime = await startRuntime(config, source, { log, models: host.client });
  });

  afterAll(async () => {
    if (runtime !== undefined) await shutDown({ log, steps: runtime.shutdownSteps });
    await host?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function evaluate(text: string): Promise<{ outcome: string; unjudged: readonly { reason: string }[] }> {
    const response = await fetch(`http://127.0.0.1:${runtime.port}/v1/evaluate/input`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text }),
    });
    if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
    return response.json();
  }

  it("fails no evaluation", { timeout: 7_200_000 }, async () => {
    let [count, scored, isOver] = [0, 0, false];
    const failures: string[] = [];
    const judge = async (text: string, mayPass: boolean) => {
      const { outcome, unjudged } = await evaluate(text);
      const isSilent = unjudged.length > 0;
      const strange = unjudged.find(({ reason }) => !reasons.includes(reason))?.reason;
      const isRight = outcome === "BLOCK" || (mayPass && isSilent);
      if (strange !== undefined || !isRight) failures.push(`${outcome}, unjudged: ${strange ?? isSilent}`);
      if (!isSilent) scored += 1;
    };
    const call = async () => {
      while (!isOver) {
        count += 1;
        const own = count % 4 === 0;
        const text = own ? `forbidden ${count}` : `${tinyTexts.attack} ${count}`;
        await judge(text, !own).catch((error: unknown) => failures.push(String(error)));
      }
    };
    const calling = Array.from({ length: callers }, call);
    for (let killed = 0; killed < kills; killed++) {
      const { pid } = host.supervisor;
      if (pid === undefined) throw new Error("there is no host");
      const before = scored;
      await eventually(() => expect(scored).toBeGreaterThan(before));
      process.kill(pid, "SIGKILL");
      await eventually(() => {
        expect(host.supervisor.pid).not.toBe(pid);
        expect([host.client.isConnected, host.client.state.isSettled]).toEqual([true, true]);
      });
      reportProgress(killed + 1);
    }
    isOver = true;
    await Promise.all(calling);
    await eventually(async () =>
      expect(await evaluate(`${tinyTexts.attack} after ${count++}`)).toMatchObject({ outcome: "BLOCK", unjudged: [] }),
    );
    reportSample({ n: kills, failures: failures.length, figures: { evaluations: count, scored } });
    expect(failures).toEqual([]);
    expect(host.client.state.restarts).toBe(kills);
  });
});
