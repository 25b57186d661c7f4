// A runtime of two processes with a model: one host of models answers both, what they report shows both voices, and the
// loss of the host is survived.

import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/kit/process/id.ts";
import { eventually } from "../harness/eventually.ts";
import { hasAddon } from "../harness/model/model-host.ts";
import { tinyTexts, writeTinyModel } from "../harness/model/tiny-model.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { type NodeProcess, startNodeProcess } from "../harness/process/node-process.ts";
import { familyOf } from "../harness/process/standalone-process.ts";

// Machines that run tests are busy: whatever has to answer has much time.
const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: two-voices}
defaults: {timeout_ms: 30000}
detectors:
  words: {use: keywords, keywords: [forbidden], backend: {key: guard, ask: {between: [0, 0.9]}}, threshold: 0.7, on_error: fail_open}
rules: [{id: words, stages: [input], detect: words, action: BLOCK}]
`;
// Every call has a connection of its own, so that the system chooses the process anew.
const fresh = new Agent({ keepAlive: false });

interface Answer {
  readonly outcome: string;
  readonly findings: readonly { readonly category: string }[];
  readonly unjudged: readonly { readonly reason: string }[];
}

describe.skipIf(!hasAddon)("two processes with a model", () => {
  let home: Installation;
  let runtime: NodeProcess;

  beforeAll(async () => {
    home = await startInstallation();
    const models = home.newFolder();
    // The preset says what its labels mean; the folder says nothing.
    writeTinyModel(join(models, "tiny"), { settings: { labels: {}, ignore: [] } });
    await home.call("PUT", "/detector-backends/guard", {
      ...{ url: "model:tiny", shape: "onnx-text-classification", timeout_ms: 20_000 },
      preset: "deberta-prompt-injection",
    });
    await home.createPolicy(policy);
    await home.publish();
    runtime = await startNodeProcess({
      script: "runtime/main.ts",
      env: {
        RUNTIME_PORT: "0",
        RUNTIME_MANAGEMENT_PORT: "0",
        RUNTIME_PROCESSES: "2",
        MODEL_FOLDER: models,
        MODEL_THREADS: "1",
        POLICY_GUARD_URL: home.url,
        POLICY_GUARD_TOKEN: home.token,
        POLICY_GUARD_DATA: home.newFolder(),
      },
      readyMessage: "runtime is listening",
    });
    await eventually(async () => expect((await managed("readyz")).status).toBe(200));
    await eventually(async () => expect(await metric("reporting_stream_connected")).toBe(1));
  }, 300_000);

  afterAll(async () => {
    const code = await runtime?.stop();
    await home?.stop();
    expect(code).toBe(0);
  });

  const managed = (path: string) => fetch(`http://127.0.0.1:${runtime.facts.managementPort}/${path}`);

  async function metric(name: string): Promise<number> {
    const lines = (await (await managed("metrics")).text()).split("\n");
    const own = lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return own.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  function evaluate(text: string, evaluationId = newId()): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call = request(
        {
          ...{ host: "127.0.0.1", port: Number(runtime.facts.port), path: "/v1/evaluate/input", method: "POST" },
          agent: fresh,
          headers: { "content-type": "application/json", authorization: `Bearer ${home.token}` },
        },
        (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (chunk) => (body += chunk));
          response.on("end", () => resolve(JSON.parse(body)));
        },
      );
      call.on("error", reject).end(JSON.stringify({ text, evaluation_id: evaluationId }));
    });
  }

  /** Processes of this runtime that run models. */
  function hosts(): number[] {
    return familyOf(runtime.pid).filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("model-host/host.ts");
      } catch {
        // It ended meanwhile.
        return false;
      }
    });
  }

  it("are both in the fleet, with the model", async () => {
    const path = `/projects/${home.world.projectId}/envs/${home.world.environment}/runtimes`;
    await eventually(async () => {
      const { runtimes } = await home.call("GET", path);
      expect(runtimes).toHaveLength(2);
      for (const each of runtimes) expect(each.models).toMatchObject([{ name: "tiny", state: "ready" }]);
    });
  });

  it("have one host of models, and answers of it wherever a call goes", async () => {
    expect(hosts()).toHaveLength(1);
    const texts = Array.from({ length: 40 }, (_, at) => `${at % 2 === 0 ? tinyTexts.attack : tinyTexts.plain} ${at}`);
    const answers = await Promise.all(texts.map((text) => evaluate(text)));
    for (const [at, { outcome, findings, unjudged }] of answers.entries()) {
      expect({ outcome, unjudged }).toEqual({ outcome: at % 2 === 0 ? "BLOCK" : "ALLOW", unjudged: [] });
      expect(findings.map(({ category }) => category)).toEqual(at % 2 === 0 ? ["injection.model"] : []);
    }
    expect(await metric("backend_calls_total")).toBe(texts.length);
  });

  it("report both voices, and why one of them was not asked", async () => {
    const ids = [newId(), newId()];
    await evaluate(`${tinyTexts.attack} again`, ids[0]);
    expect((await evaluate("this is forbidden", ids[1])).outcome).toBe("BLOCK");
    await eventually(async () => {
      const [asked, unasked] = await Promise.all(ids.map((id) => home.call("GET", `/traces/${id}`)));
      const about = { segment: "s1", detectors: ["words"], backend: "guard" };
      expect(asked.backends).toEqual([{ ...about, reason: "", score: expect.closeTo(0.9, 0), own_score: 0 }]);
      expect(unasked.backends).toEqual([{ ...about, reason: "between", score: null, own_score: 1 }]);
    });
  });

  it("go on without the host, and with the next one", async () => {
    const [pid] = hosts();
    if (pid === undefined) throw new Error("there is no host");
    process.kill(pid, "SIGKILL");
    // The detector itself judges meanwhile, whatever becomes of the model.
    for (let at = 0; at < 10; at++) expect((await evaluate(`forbidden ${at}`)).outcome).toBe("BLOCK");
    let count = 0;
    await eventually(async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => evaluate(`${tinyTexts.attack} ${count++} more`)),
      );
      for (const answer of answers) expect(answer).toMatchObject({ outcome: "BLOCK", unjudged: [] });
    });
    expect(hosts()).toHaveLength(1);
    expect(hosts()).not.toEqual([pid]);
  });
});
