// The runtime as a process: how it starts, and how it says that it does not.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimeNodeOptions } from "../../runtime/node-option.ts";
import { productVariables } from "../../src/kit/process/config.ts";
import { signedBundle } from "../harness/bundle.ts";
import { eventually } from "../harness/eventually.ts";
import { startNodeProcess } from "../harness/process/node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "policy-guard-main-"));
const [bundleFile, keyFile] = [join(folder, "bundle.json"), join(folder, "key.json")];
const standalone = ["--bundle", bundleFile, "--key", keyFile, "--no-auth"];

beforeAll(async () => {
  const policy =
    "{apiVersion: policyguard/v1, kind: Policy, metadata: {name: a}, rules: [{id: k, stages: [input], detect: secrets, action: BLOCK}]}";
  const { json, key } = await signedBundle([policy]);
  writeFileSync(bundleFile, json);
  writeFileSync(keyFile, JSON.stringify(key.publicJwk));
});

afterAll(() => rmSync(folder, { recursive: true }));

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return startNodeProcess({
    script: "runtime/main.ts",
    args,
    env: { RUNTIME_PORT: "0", RUNTIME_MANAGEMENT_PORT: "0", POLICY_GUARD_DATA: join(folder, "data"), ...env },
    readyMessage: "runtime is listening",
  });
}

describe("a runtime process", () => {
  it("is started by npm as the product starts it", () => {
    const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(scripts.runtime).toBe(["exec node", ...runtimeNodeOptions, "runtime/main.ts"].join(" "));
  });

  it("starts beside processes whose variables it does not read, evaluates, and ends in order", async () => {
    // A secret beside a file with it is a mistake in every process.
    const theirNames = productVariables.filter((name) => !name.endsWith("_FILE"));
    const theirs = Object.fromEntries(theirNames.map((name) => [name, `127.0.0.0/8`]));
    const runtime = await start(standalone, {
      ...theirs,
      POLICY_GUARD_DATA: join(folder, "data"),
      POLICY_GUARD_URL: "http://127.0.0.1:1",
    });
    const response = await fetch(`http://127.0.0.1:${runtime.facts.port}/v1/evaluate/input`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: `AKIA${"Q3EGRZ7X"}${"W2LMNP4T"}` }),
    });
    expect(await response.json()).toMatchObject({ outcome: "BLOCK" });
    const metrics = await (await fetch(`http://127.0.0.1:${runtime.facts.managementPort}/metrics`)).text();
    expect(metrics).toContain('evaluations_total{stage="input",outcome="BLOCK"} 1');
    expect(metrics).toMatch(/evaluation_engine_seconds_count\{stage="input"\} 1/);
    expect(metrics).toMatch(/^detector_seconds_count\{detector="secrets"\} 1$/m);
    expect(metrics).toMatch(/^detector_seconds_count\{detector="shared"\} 1$/m);
    expect(metrics).toMatch(/^bundle_version 1$/m);
    expect(metrics).toMatch(/^bundle_tables_bytes [1-9]\d{4,}$/m);
    expect(metrics).toMatch(/^pattern_states_bytes \d+$/m);
    expect(metrics).toMatch(/^bundle_age_seconds \d/m);
    expect(metrics).not.toContain("spool_records");
    expect(await runtime.stop()).toBe(0);
  });

  it("is not ready while it drains, and still answers", async () => {
    const runtime = await start(standalone, { DRAIN_DELAY: "1s" });
    const readyz = () => fetch(`http://127.0.0.1:${runtime.facts.managementPort}/readyz`);
    await eventually(async () => expect((await readyz()).status).toBe(200));
    const stopped = runtime.stop();
    await eventually(async () => expect((await readyz()).status).toBe(503));
    const loaded = await fetch(`http://127.0.0.1:${runtime.facts.port}/v1/evaluate/bundle`);
    expect(loaded.status).toBe(200);
    expect(await stopped).toBe(0);
  });

  it("names every wrong setting at once, without a stack", async () => {
    const failure = start([], { RUNTIME_PORT: "x", SPOOL_MODE: "slow", POLICY_GUARD_TOKN: "gr_rt_1" });
    const message = await failure.then(String, ({ message: text }: Error) => text);
    expect(message).toContain("ended with 1");
    for (const name of ["RUNTIME_PORT", "SPOOL_MODE", "did you mean POLICY_GUARD_TOKEN"])
      expect(message).toContain(name);
    expect(message).not.toContain("gr_rt_1");
    expect(message).not.toMatch(/^\s+at /m);
  });

  it("says which port is taken", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    await expect(start(standalone, { RUNTIME_PORT: port })).rejects.toThrow(`port ${port} is taken`);
    server.close();
  });
});
