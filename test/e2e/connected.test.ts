// A runtime and its control plane, from enrolment to trace.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/kit/process/id.ts";
import { findInstance } from "../../src/store/fleet/runtime-instance.ts";
import { eventually } from "../harness/eventually.ts";
import { startInstallation } from "../harness/process/installation.ts";
import { listedRuntime } from "../harness/process/listed-runtime.ts";
import { startTamperingProxy, type TamperingProxy } from "../harness/process/tampering-proxy.ts";
import { policyOf, pushLimitMs, useWordGuard } from "../harness/vector/word-guard.ts";

const { home, loadedRuntime, traceOf, changePolicy, capture, untilTraced } = useWordGuard();

describe("a runtime and its control plane", () => {
  it("are not ready before the first bundle, and say so", async () => {
    const other = await startInstallation();
    try {
      const runtime = await other.startRuntime();
      await eventually(async () => expect(await runtime.metric("reporting_stream_connected")).toBe(1));
      expect((await fetch(`${runtime.managementUrl}/readyz`)).status).toBe(503);
      expect(await runtime.evaluate({ text: "a" })).toMatchObject({
        status: 503,
        body: { detail: { error: "bundle_unavailable" } },
      });
      expect(await runtime.loaded()).toMatchObject({ bundle: null, policies: [], rejection: null });
      await other.createPolicy(policyOf("forbidden"));
      await other.publish();
      await eventually(async () => expect((await runtime.evaluate({ text: "forbidden" })).body.blocked).toBe(true));
      await eventually(async () => expect((await fetch(`${runtime.managementUrl}/readyz`)).status).toBe(200));
    } finally {
      await other.stop();
    }
  });

  it("show which backends the runtime's operator did not name, and how it is labelled", async () => {
    const folder = home().newFolder();
    await home().call("PUT", "/detector-backends/moved", {
      ...{ url: "http://127.0.0.1:9/collect", shape: "policy-guard", auth_header: "Authorization" },
    });
    const { id } = await home().call("POST", "/policies", {
      document: `apiVersion: policyguard/v1
kind: Policy
metadata: {name: backed}
detectors: {asked: {use: backend, backend: {key: moved}, on_error: fail_open}}
rules: [{id: asked, stages: [input], detect: asked, action: BLOCK}]
`,
      scope: { app_id: home().world.projectId },
    });
    await home().publish();
    const runtime = await loadedRuntime({ folder, env: { RUNTIME_LABELS: "region=eu-west-1, team=support" } });
    const gap = { detector: "asked", reason: "backend_origin_refused", on_error: "fail_open" };
    expect((await runtime.evaluate({ text: "fine" })).body).toMatchObject({ outcome: "ALLOW", unjudged: [gap] });
    await eventually(async () => {
      expect(await listedRuntime(home(), folder)).toMatchObject({
        refused_backends: ["moved"],
        labels: { region: "eu-west-1", team: "support" },
      });
    });
    await home().call("DELETE", `/policies/${id}`);
    await home().publish();
    await eventually(async () => {
      expect(await listedRuntime(home(), folder)).toMatchObject({ refused_backends: [] });
    });
    await runtime.stop();
  });

  it("turn an evaluation into one trace, however often it is tried", async () => {
    const runtime = await loadedRuntime();
    const id = newId();
    for (const evaluation_id of [id, id.toUpperCase(), id]) {
      const { status, body } = await runtime.evaluate({ evaluation_id, agent_id: "shop", text: "a forbidden word" });
      expect({ status, outcome: body.outcome }).toEqual({ status: 200, outcome: "BLOCK" });
    }
    expect(await traceOf(id)).toMatchObject({ id, outcome: "BLOCK" });
    await eventually(async () => expect(await runtime.metric("spool_records")).toBe(0));
    expect((await home().traceIds()).filter((found) => found === id)).toEqual([id]);
    const { agents } = await home().call("GET", `/projects/${home().world.projectId}/agents`);
    expect(agents).toMatchObject([{ key: "shop" }]);
    const byId = await runtime.evaluate({ agent_id: agents[0].id, text: "fine" });
    expect(await traceOf(byId.body.evaluation_id)).toMatchObject({ agent_id: "shop" });
    await runtime.stop();
  });

  // The least time between two questions is ten minutes here: what comes sooner was pushed.
  it("bring an activation to every evaluation by a push", async () => {
    const runtime = await loadedRuntime();
    const version = await changePolicy("secret");
    await eventually(
      async () => expect((await runtime.evaluate({ text: "secret" })).body.blocked).toBe(true),
      pushLimitMs,
    );
    expect((await runtime.evaluate({ text: "forbidden" })).body).toMatchObject({ blocked: false, bundle: { version } });
    await changePolicy("forbidden");
    await runtime.stop();
  });

  it("let each evaluation see one bundle, never a mixture, while bundles change under load", async () => {
    const runtime = await loadedRuntime();
    const seen = new Map<number, Set<string>>();
    let isDone = false;
    const load = async () => {
      while (!isDone) {
        const { status, body } = await runtime.evaluate({ text: "forbidden" });
        expect(status).toBe(200);
        const { version } = body.bundle;
        seen.set(version, (seen.get(version) ?? new Set()).add(body.outcome));
      }
    };
    const loading = Promise.all([load(), load()]);
    const wanted = new Map<number, string>();
    for (const action of ["FLAG", "REDACT", "BLOCK"]) {
      const version = await changePolicy("forbidden", action);
      wanted.set(version, action);
      await eventually(() => expect(seen.has(version)).toBe(true));
    }
    isDone = true;
    await loading;
    for (const [version, action] of wanted) expect([...(seen.get(version) ?? [])]).toEqual([action]);
    await runtime.stop();
  });
});

describe("a bundle that was tampered with on its way", () => {
  it("changes nothing, and its refusal shows at both ends until a good one comes", async () => {
    const proxy = await startTamperingProxy(home().url);
    try {
      const folder = home().newFolder();
      const runtime = await loadedRuntime({ url: proxy.url, folder });
      const before = await runtime.loaded();
      proxy.tamper = ({ bundle }) => {
        const [part] = bundle?.parts ?? [];
        if (part !== undefined) part.data = Buffer.from(Buffer.from(part.data).toString().replace("BLOCK", "ALLOW"));
      };
      const version = await changePolicy("forbidden");
      await eventually(async () => expect((await runtime.loaded()).rejection).toContain("digest_mismatch"));
      expect((await runtime.loaded()).bundle).toEqual(before.bundle);
      expect((await runtime.evaluate({ text: "forbidden" })).body.blocked).toBe(true);
      expect(await runtime.metric("bundle_rejected")).toBe(1);
      await eventually(async () => {
        expect(await instanceRow(folder)).toMatchObject({
          bundleVersion: before.bundle.version,
          rejection: expect.stringContaining("digest_mismatch"),
        });
      });
      proxy.tamper = undefined;
      await eventually(async () => expect((await runtime.loaded()).bundle.version).toBe(version));
      expect((await runtime.loaded()).rejection).toBeNull();
      await eventually(async () =>
        expect(await instanceRow(folder)).toMatchObject({ bundleVersion: version, rejection: "" }),
      );
      await runtime.stop();
    } finally {
      await proxy.close();
    }
  });

  it("is refused without a part that changed, and taken over with nothing but the changed parts", async () => {
    await home().createPolicy(policyOf("another").replace(/name: \w+/, "name: another"));
    await home().publish();
    const proxy = await startTamperingProxy(home().url);
    try {
      const folder = home().newFolder();
      const runtime = await loadedRuntime({ url: proxy.url, folder });
      const sent: string[][] = [];
      const watch: TamperingProxy["tamper"] = ({ bundle }) => {
        if (bundle !== undefined) sent.push(bundle.parts.map(({ path }) => path));
      };
      proxy.tamper = (answer) => {
        watch(answer);
        if (answer.bundle !== undefined) answer.bundle.parts = [];
      };
      const version = await changePolicy("prohibited");
      await eventually(async () => expect((await runtime.loaded()).rejection).toContain("missing_part"));
      proxy.tamper = watch;
      await eventually(async () => expect((await runtime.loaded()).bundle.version).toBe(version));
      const next = await changePolicy("unheard-of");
      await eventually(async () => expect((await runtime.loaded()).bundle.version).toBe(next));
      expect((await runtime.evaluate({ text: "unheard-of" })).body.blocked).toBe(true);
      // After a refusal the whole bundle is asked for.
      const [changed, whole] = [sent.at(-1) ?? [], sent.at(-2) ?? []];
      expect(sent[0]).toEqual(changed);
      expect(whole.length).toBeGreaterThan(changed.length);
      // What is on disk is whole, too.
      await runtime.stop();
      const again = await loadedRuntime({ url: "http://127.0.0.1:9", folder });
      expect((await again.evaluate({ text: "unheard-of" })).body.blocked).toBe(true);
      await again.stop();
    } finally {
      await proxy.close();
    }
  });

  function instanceRow(folder: string) {
    const { orgId, projectId, environment } = home().world;
    const instanceId = readFileSync(join(folder, "instance-id"), "utf8").trim();
    return home().plane.database.read(orgId, (tx) => findInstance(tx, { projectId, environment, instanceId }));
  }
});

describe("the text of evaluations", () => {
  const text = "forbidden word of a customer";

  it("leaves the runtime as far as the environment says, from the moment that it says so", async () => {
    await changePolicy("forbidden", "FLAG");
    const runtime = await loadedRuntime();
    await capture("none");
    await untilTraced(runtime, text, { capture: "none", segments: [] });
    await capture("full");
    await untilTraced(runtime, text, { capture: "full", segments: [{ text }] });
    await capture("redacted");
    await untilTraced(runtime, text, { capture: "redacted", segments: [{ text: "[KEYWORDS_1] word of a customer" }] });
    await runtime.stop();
  });

  it("is not in the spool when it may not be reported", async () => {
    await capture("none");
    const folder = home().newFolder();
    const runtime = await loadedRuntime({ folder });
    await untilTraced(runtime, "warm", { capture: "none" });
    await home().stopControlPlane();
    await runtime.evaluate({ text: "wholly unlikely words" });
    const files = readdirSync(join(folder, "spool")).map((name) => readFileSync(join(folder, "spool", name), "latin1"));
    expect(files.join("").length).toBeGreaterThan(100);
    expect(files.join("")).not.toContain("unlikely");
    await runtime.stop();
    await home().startControlPlane();
    await capture("redacted");
  });

  it("never keeps the reporting from going on, however much of it there is", async () => {
    await capture("full");
    const runtime = await loadedRuntime();
    await untilTraced(runtime, "small", { capture: "full" });
    const large = "x".repeat(1_000_000);
    const { body } = await runtime.evaluate({
      messages: Array.from({ length: 7 }, () => ({ role: "user", content: large })),
    });
    const mails = await runtime.evaluate({ text: "forbidden ".repeat(5_000), options: { detail: "outcome" } });
    expect(mails.status).toBe(200);
    expect((await traceOf(body.evaluation_id)).segments.length).toBe(2);
    expect((await traceOf(mails.body.evaluation_id)).findings.length).toBe(1_000);
    await runtime.stop();
    await capture("redacted");
  });
});

describe("a token that is revoked", () => {
  it.each([
    ["", false],
    [", also when the disk refuses to keep that", true],
  ])("soon opens neither the runtime nor the control plane%s", async (_, isRefusing) => {
    const own = await startInstallation();
    try {
      await own.createPolicy(policyOf("forbidden"));
      await own.publish();
      const folder = own.newFolder();
      const runtime = await own.startRuntime({ folder });
      await eventually(async () => expect((await runtime.evaluate({ text: "a" })).status).toBe(200));
      // No file can be written where a folder is.
      if (isRefusing) mkdirSync(join(folder, "enrolment.json.new"));
      const { tokens } = await own.call("GET", "/tokens");
      const { id } = tokens.find((token: { type: string }) => token.type === "runtime");
      await own.call("DELETE", `/tokens/${id}`);
      await eventually(async () => expect((await runtime.evaluate({ text: "a" })).status).toBe(401), pushLimitMs);
      const latest = await fetch(`${own.url}/v1/bundles/latest`, { headers: { authorization: `Bearer ${own.token}` } });
      expect(latest.status).toBe(401);
    } finally {
      await own.stop();
    }
  });

  it("of another kind is known to the runtime, and is 403", async () => {
    const runtime = await loadedRuntime();
    const { admin, ci } = home().world.tokens;
    expect((await runtime.evaluate({ text: "a" }, { token: admin })).status).toBe(403);
    expect((await runtime.evaluate({ text: "a" }, { token: ci })).status).toBe(403);
    await runtime.stop();
  });
});
