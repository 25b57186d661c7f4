// The active bundle as it goes over the wire: waiting for a change, and compression.

import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installation, startInstallation } from "../../harness/process/installation.ts";

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
  readonly tookMs: number;
}

let home: Installation;

beforeAll(async () => {
  home = await startInstallation();
  // Larger than what goes as it is.
  const phrases = Array.from({ length: 2_000 }, (_, i) => `phrase number ${i}`);
  await home.createPolicy(
    JSON.stringify({
      ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "words" } },
      detectors: { words: { use: "keywords", keywords: phrases } },
      rules: [{ id: "word", stages: ["input"], detect: "words", action: "BLOCK" }],
    }),
  );
  await home.publish();
});

afterAll(() => home.stop());

// Not fetch(), which unpacks what it gets.
function pull(headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const start = performance.now();
  const all = { authorization: `Bearer ${home.token}`, ...headers };
  return new Promise((resolve, reject) => {
    const call = request(`${home.url}/v1/bundles/latest`, { headers: all, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const { statusCode: status, headers: found } = response;
      resolve({ status, headers: found, body: Buffer.concat(chunks), tookMs: performance.now() - start });
    });
    call.on("error", reject).end();
  });
}

const etag = async () => String((await pull()).headers.etag);

describe("a pull of the bundle that the caller has", () => {
  it("is a 304 with the activation and no body after the time that it would wait for", async () => {
    const answer = await pull({ "if-none-match": await etag(), prefer: "wait=1" });
    expect(answer).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect(answer.headers["x-policy-guard-activation"]).toMatch(/^[\w-]+$/);
    expect(answer.headers["content-encoding"]).toBeUndefined();
    expect(answer.tookMs).toBeGreaterThan(990);
    expect(answer.tookMs).toBeLessThan(20_000);
  });

  it("is answered with the next one at the moment of its activation", async () => {
    const before = await etag();
    const waiting = pull({ "if-none-match": before, prefer: "wait=30" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await home.publish();
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).not.toBe(before);
    expect(answer.tookMs).toBeLessThan(25_000);
  });

  it("ends with a 304 when the control plane shuts down, and holds the shutdown up for nobody", async () => {
    const waiting = pull({ "if-none-match": await etag(), prefer: "wait=30" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await home.stopControlPlane();
    const answer = await waiting;
    expect(answer.status).toBe(304);
    expect(answer.tookMs).toBeLessThan(25_000);
    await home.startControlPlane();
  });
});

describe("a pull from an environment that is deleted", () => {
  async function runtimeOf(projectId: string): Promise<Readonly<Record<string, string>>> {
    const scope = { project_id: projectId, environment: "dev" };
    const { token } = await home.call("POST", "/tokens/runtime", { name: "runtime", ...scope });
    return { authorization: `Bearer ${token}` };
  }

  it("has nothing of it from one that is made anew under its name", async () => {
    const { id } = await home.call("POST", "/projects", { name: "made anew" });
    await home.call("POST", `/projects/${id}/envs/dev/bundles/publish`, { activate: true });
    expect((await pull(await runtimeOf(id))).status).toBe(200);
    await home.call("DELETE", `/projects/${id}/environments/dev?force=true`);
    await home.call("POST", `/projects/${id}/environments`, { name: "dev" });
    expect((await pull(await runtimeOf(id))).status).toBe(404);
  });

  it("is not told that its bundle is still the one to enforce, if it waits while the project goes", async () => {
    const { id } = await home.call("POST", "/projects", { name: "gone" });
    await home.call("POST", `/projects/${id}/envs/dev/bundles/publish`, { activate: true });
    const runtime = await runtimeOf(id);
    const known = String((await pull(runtime)).headers.etag);
    const waiting = pull({ ...runtime, "if-none-match": known, prefer: "wait=3" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await home.call("DELETE", `/projects/${id}?force=true`);
    expect((await waiting).status).toBe(404);
  });
});

describe("a pull of the parts that the caller's bundle lacks", () => {
  const partsOf = ({ body }: Answer) =>
    new Map<string, string>(
      JSON.parse(body.toString()).parts.map(({ path, data }: Readonly<Record<string, string>>) => [path, data]),
    );
  const wish = { prefer: "parts=changed" };

  it("has those that changed, and the manifest lists all", async () => {
    const before = await pull();
    await home.createPolicy(
      JSON.stringify({
        ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "one" } },
        detectors: { words: { use: "keywords", keywords: ["one"] } },
        rules: [{ id: "word", stages: ["input"], detect: "words", action: "BLOCK" }],
      }),
    );
    await home.publish();
    const whole = partsOf(await pull());
    const answer = await pull({ "if-none-match": String(before.headers.etag), ...wish });
    const changed = [...whole].filter(([path, data]) => partsOf(before).get(path) !== data);
    expect(answer.status).toBe(200);
    expect([...partsOf(answer)]).toEqual(changed);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(whole.size);
    const { manifest } = JSON.parse(answer.body.toString());
    const listed = JSON.parse(Buffer.from(manifest.payload, "base64url").toString()).parts;
    expect(listed.map(({ path }: { path: string }) => path).sort()).toEqual([...whole.keys()].sort());
  });

  it("is whole for a tag that this environment never gave, and for a caller without one", async () => {
    const whole = partsOf(await pull());
    const current = await etag();
    for (const known of [current.replace(/-\d+"$/, '-999"'), current.replace(/[0-9a-f]{64}/, "0".repeat(64)), '"x"'])
      expect(partsOf(await pull({ "if-none-match": known, ...wish }))).toEqual(whole);
    expect(partsOf(await pull(wish))).toEqual(whole);
  });
});

describe("compression of the bundle", () => {
  it.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const)("by %s gives the same bytes in fewer, under the same entity tag", async (coding, decompress) => {
    const plain = await pull();
    const packed = await pull({ "accept-encoding": coding });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(packed.headers).toMatchObject({ "content-encoding": coding, vary: "accept-encoding" });
    expect(packed.headers.etag).toBe(plain.headers.etag);
    expect(packed.body.byteLength).toBeLessThan(plain.body.byteLength / 2);
    expect(decompress(packed.body).equals(plain.body)).toBe(true);
  });
});
