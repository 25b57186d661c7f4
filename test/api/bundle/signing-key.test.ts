// Keys from rotation to revocation, with runtimes that are connected, away, or never connected at all; and keys that an
// external signer keeps.

import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimeSchema } from "../../../runtime/config.ts";
import { standalone } from "../../../runtime/standalone.ts";
import { publicJwkOf } from "../../../src/kit/crypto/signing-key.ts";
import { decodeStatement, statementKids } from "../../../src/kit/crypto/statement.ts";
import { systemClock } from "../../../src/kit/process/clock.ts";
import { readConfig } from "../../../src/kit/process/config.ts";
import { eventually } from "../../harness/eventually.ts";
import { startTestControlPlane } from "../../harness/process/control-plane.ts";
import { type Installation, startInstallation } from "../../harness/process/installation.ts";
import type { TestRuntime } from "../../harness/process/runtime.ts";
import { startTamperingProxy } from "../../harness/process/tampering-proxy.ts";
import { createWorld } from "../../harness/vector/world.ts";

const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;

describe("signing keys", () => {
  let home: Installation;

  beforeAll(async () => {
    home = await startInstallation();
    await home.createPolicy(policy);
    await home.publish();
  });

  afterAll(() => home.stop());

  const started = async (options: Parameters<Installation["startRuntime"]>[0] = {}): Promise<TestRuntime> => {
    const runtime = await home.startRuntime(options);
    await enforcing(runtime);
    return runtime;
  };
  const enforcing = (runtime: TestRuntime) =>
    eventually(async () => expect((await runtime.evaluate({ text: "forbidden" })).body.blocked).toBe(true));
  const rotate = async (): Promise<string> => (await home.call("POST", "/signing-keys/rotate", {})).kid;
  const revoke = (kid: string) => home.call("POST", `/signing-keys/${kid}/revoke`, {});
  // A bundle that was signed anew is served once the processes have heard of it.
  const pull = () =>
    eventually(async () => {
      const headers = { authorization: `Bearer ${home.token}` };
      const answer = await fetch(`${home.url}/v1/bundles/latest`, { headers });
      const keys = await (await fetch(`${home.url}/v1/bundles/keys`, { headers })).json();
      const bundle = await answer.json();
      expect(bundle.keys.payload).toBe(keys.statement.payload);
      return { activation: decodeStatement(answer.headers.get("x-policy-guard-activation") ?? ""), bundle, keys };
    });
  /** What the runtime of a folder believes on its own. */
  const kept = (folder: string) => {
    const { keySet } = JSON.parse(readFileSync(join(folder, "enrolment.json"), "utf8"));
    return JSON.parse(Buffer.from(keySet.payload, "base64url").toString("utf8"));
  };

  it("sign together after a rotation, under everything that is in force, and keep its digest", async () => {
    const before = await pull();
    const first = statementKids(before.activation);
    const kid = await rotate();
    const { activation, bundle, keys } = await pull();
    expect(statementKids(activation)).toEqual([kid, ...first]);
    expect(statementKids(bundle.manifest)).toEqual([kid, ...first]);
    expect(bundle.manifest.payload).toBe(before.bundle.manifest.payload);
    expect(keys.keys.map((key: { kid: string }) => key.kid)).toEqual([kid, ...first]);
  });

  it("are believed by a connected runtime through rotation and revocation, and by its disk", async () => {
    const folder = home.newFolder();
    const runtime = await started({ folder });
    const [old = ""] = statementKids((await pull()).activation);
    const kid = await rotate();
    await eventually(() => expect(kept(folder).keys.map((key: { kid: string }) => key.kid)).toContain(kid));
    await revoke(old);
    await eventually(() => {
      expect(kept(folder).keys).toContainEqual(expect.objectContaining({ kid: old, state: "revoked" }));
    });
    await enforcing(runtime);
    expect((await runtime.loaded()).rejection).toBeNull();
    await runtime.stop();
    await home.stopControlPlane();
    const alone = await home.startRuntime({ folder });
    expect((await alone.evaluate({ text: "forbidden" })).body).toMatchObject({ blocked: true });
    await alone.stop();
    await home.startControlPlane();
  });

  it("are followed by a runtime that was away while the only key it knew was replaced and revoked", async () => {
    const folder = home.newFolder();
    const runtime = await started({ folder });
    await runtime.stop();
    const all = (await home.call("GET", "/signing-keys")).signing_keys.filter(
      (key: { state: string }) => key.state !== "revoked",
    );
    await rotate();
    for (const { kid } of all) await revoke(kid);
    const again = await started({ folder });
    await eventually(async () => {
      expect(await again.metric("reporting_stream_connected")).toBe(1);
      expect((await again.loaded()).rejection).toBeNull();
    });
    await again.stop();
  });

  it("that are revoked are refused from disk: a bundle that only they signed is not loaded", async () => {
    const folder = home.newFolder();
    const runtime = await started({ folder });
    const stale = readFileSync(join(folder, "bundle", "bundle.json"));
    const [old = ""] = statementKids((await pull()).activation);
    await revoke(old);
    await eventually(() => {
      const { manifest } = JSON.parse(readFileSync(join(folder, "bundle", "bundle.json"), "utf8"));
      expect(statementKids(manifest)).not.toContain(old);
    });
    await runtime.stop();
    writeFileSync(join(folder, "bundle", "bundle.json"), stale);
    await home.stopControlPlane();
    const alone = await home.startRuntime({ folder });
    expect(await alone.evaluate({ text: "forbidden" })).toMatchObject({ status: 503 });
    expect((await alone.loaded()).rejection).toMatch(/^revoked_kid/);
    await alone.stop();
    await home.startControlPlane();
  });

  it("reach a runtime that polls and never has a stream", async () => {
    const folder = home.newFolder();
    const proxy = await startTamperingProxy(home.url);
    proxy.refusesStreams = true;
    const runtime = await started({ folder, url: proxy.url, env: { POLL_INTERVAL: "100ms" } });
    const [old = ""] = statementKids((await pull()).activation);
    await revoke(old);
    await eventually(() =>
      expect(kept(folder).keys).toContainEqual(expect.objectContaining({ kid: old, state: "revoked" })),
    );
    await enforcing(runtime);
    await runtime.stop();
    await proxy.close();
  });

  it("are followed by a standalone runtime through the key set of the bundle file; revoked ones are refused", async () => {
    const { keys: known } = await pull();
    await rotate();
    const [old] = known.keys;
    const between = (await pull()).bundle;
    await revoke(old.kid);
    const { bundle, keys } = await pull();
    const start = async (file: object, trusted: object) => {
      const folder = home.newFolder();
      const config = readConfig(runtimeSchema, { POLICY_GUARD_DATA: folder });
      const [bundleFile, keyFile] = [`${folder}.bundle.json`, `${folder}.keys.json`];
      writeFileSync(bundleFile, JSON.stringify(file));
      writeFileSync(keyFile, JSON.stringify(trusted));
      return standalone(config, { bundle: bundleFile, key: keyFile }, { noAuth: true, clock: systemClock });
    };
    expect((await start(bundle, known)).holder.loaded).toBeDefined();
    expect((await start(between, known)).holder.loaded).toBeDefined();
    const onlyOld = { ...between, ...onlySignedBy(between, old.kid), keys: undefined };
    expect((await start(onlyOld, known)).holder.loaded).toBeDefined();
    await expect(start(onlyOld, { keys: known.keys, revoked_kids: keys.revoked_kids })).rejects.toThrow();
    await expect(start({ ...onlyOld, keys: bundle.keys }, known)).rejects.toThrow("revoked");
  });
});

/** The statements of a bundle with the signatures of one key only. */
function onlySignedBy(bundle: { manifest: Signed; activation: Signed }, kid: string) {
  const only = ({ payload, signatures }: Signed): Signed => ({
    payload,
    signatures: signatures.filter((signature) => statementKids({ payload, signatures: [signature] })[0] === kid),
  });
  return { manifest: only(bundle.manifest), activation: only(bundle.activation) };
}

interface Signed {
  readonly payload: string;
  readonly signatures: readonly { readonly protected: string; readonly signature: string }[];
}

/** A signer as an operator might put in front of an HSM. */
async function startSigner(
  secret: string,
): Promise<{ server: Server; url: string; calls: string[]; isBroken: boolean }> {
  const keys = new Map<string, ReturnType<typeof generateKeyPairSync>["privateKey"]>();
  const signer = { calls: [] as string[], isBroken: false };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    signer.calls.push(request.url ?? "");
    if (request.headers.authorization !== `Bearer ${secret}`) return response.writeHead(401).end();
    if (request.url === "/v1/keys") {
      const { privateKey, publicKey } = generateKeyPairSync("ed25519");
      const { x = "" } = publicKey.export({ format: "jwk" });
      keys.set(publicJwkOf(x).kid, privateKey);
      return response.end(JSON.stringify({ x }));
    }
    const key = keys.get(body.kid);
    if (key === undefined) return response.writeHead(404).end();
    const signature = sign(null, Buffer.from(signer.isBroken ? "another text" : body.payload, "base64url"), key);
    return response.end(JSON.stringify({ signature: signature.toString("base64url") }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // listens on TCP
  return Object.assign(signer, { server, url: `http://127.0.0.1:${port}/v1/` });
}

describe("an external signer", () => {
  it("keeps the private keys; its signatures are checked, and its failure publishes nothing", async () => {
    const secret = "made-up-signer-secret";
    const signer = await startSigner(secret);
    const env = { SIGNER_URL: signer.url, SIGNER_SECRET: secret, POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8" };
    const plane = await startTestControlPlane({ env });
    try {
      const world = await createWorld(plane.database);
      const ask = (method: string, path: string, body?: object) =>
        fetch(`${plane.baseUrl}/v1/orgs/${world.orgId}${path}`, {
          method,
          headers: { "content-type": "application/json", authorization: `Bearer ${world.tokens.admin}` },
          body: body && JSON.stringify(body),
        });
      const bundles = `/projects/${world.projectId}/envs/${world.environment}/bundles`;
      expect((await ask("POST", `${bundles}/publish`, { activate: true })).status).toBe(201);
      const { signing_keys: keys } = await (await ask("GET", "/signing-keys")).json();
      expect(keys).toMatchObject([{ holder: "signer", state: "active" }]);
      const sealed = await plane.database.read(world.orgId, (tx) =>
        tx.sql<{ private_sealed: Buffer | null }>("select private_sealed from signing_key where org_id = ?", [
          world.orgId,
        ]),
      );
      expect(sealed).toEqual([{ private_sealed: null }]);
      expect(signer.calls).toContain("/v1/sign");
      signer.isBroken = true;
      expect((await ask("POST", `${bundles}/publish`, { activate: true })).status).toBe(503);
      await new Promise((resolve) => signer.server.close(resolve).closeAllConnections());
      expect((await ask("POST", "/signing-keys/rotate", {})).status).toBe(503);
      const { bundles: listed } = await (await ask("GET", bundles)).json();
      expect(listed).toHaveLength(1);
    } finally {
      signer.server.close();
      await plane.stop();
    }
  });

  it("is reached through the network guard only", async () => {
    const signer = await startSigner("s");
    const plane = await startTestControlPlane({ env: { SIGNER_URL: signer.url, SIGNER_SECRET: "s" } });
    try {
      const world = await createWorld(plane.database);
      const answer = await fetch(`${plane.baseUrl}/v1/orgs/${world.orgId}/signing-keys/rotate`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${world.tokens.admin}` },
        body: "{}",
      });
      expect([answer.status, signer.calls]).toEqual([503, []]);
    } finally {
      signer.server.close();
      await plane.stop();
    }
  });
});
