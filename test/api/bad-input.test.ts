// What arrives over a socket and is no proper call. Nothing of it may be a 5xx.

import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callLimits } from "../../src/config.ts";
import { defaultLimits } from "../../src/kit/net/limits.ts";
import { newId } from "../../src/kit/process/id.ts";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import { createWorld, type World } from "../harness/vector/world.ts";

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | readonly Uint8Array[];
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** detail.error. */
  readonly error: string | undefined;
}

let plane: TestControlPlane;
let world: World;

beforeAll(async () => {
  plane = await startTestControlPlane();
  world = await createWorld(plane.database);
});

afterAll(() => plane.stop());

describe("paths and methods", () => {
  it.each([
    "/nothing",
    "/v2/orgs",
    "/v1",
    "/v1/orgs/",
    "/v1/orgs//projects",
    "/v1/orgs/x/projects/",
    "/v1/../v1/orgs",
    "/V1/orgs/x",
    "/v1/evaluate/input",
  ])("%s is no path of an operation", async (path) => {
    const got = await send({ path });
    expect(got).toMatchObject({ status: 404, error: "unknown_path" });
  });

  it.each([
    ["POST", "/v1/orgs/x", "GET, HEAD, PATCH"],
    ["PUT", "/v1/orgs/x/projects", "GET, HEAD, POST"],
    ["DELETE", "/v1/bundles/latest", "GET, HEAD, OPTIONS"],
    ["TRACE", "/v1/orgs/x/tokens", "GET, HEAD, OPTIONS"],
    ["PROPFIND", "/v1/orgs/x/tokens", "GET, HEAD, OPTIONS"],
  ])("%s %s is answered with the methods that the path has", async (method, path, allow) => {
    const got = await send({ method, path });
    expect(got).toMatchObject({ status: 405, error: "method_not_allowed" });
    for (const verb of allow.split(", ")) expect(String(got.headers.allow).split(", ")).toContain(verb);
  });

  it("OPTIONS tells the methods of a path, to anybody", async () => {
    const got = await send({ method: "OPTIONS", path: "/v1/orgs/x/projects", headers: { authorization: "" } });
    expect(got).toMatchObject({ status: 204, text: "" });
    expect(got.headers.allow).toBe("GET, HEAD, POST, OPTIONS");
  });

  it("HEAD answers like GET, without the body", async () => {
    const path = `/v1/orgs/${world.orgId}/projects`;
    const [head, get] = [await send({ method: "HEAD", path }), await send({ path })];
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
    expect(await send({ method: "HEAD", path: "/v1/orgs/acme" })).toMatchObject({ status: 403, text: "" });
  });

  it.each(["%", "%zz", "%c3%28", "%ff", "a%2", "%e2%82"])(
    "the bad encoding %s in a path is a malformed parameter, and no organization",
    async (bad) => {
      const invalid = { status: 400, error: "invalid_parameter" };
      expect(await send({ path: `/v1/orgs/${world.orgId}/projects/${bad}` })).toMatchObject(invalid);
      expect(await send({ path: `/v1/hub/packs/${bad}` })).toMatchObject(invalid);
      const foreign = await send({ path: `/v1/orgs/${newId()}/projects` });
      const malformed = await send({ path: `/v1/orgs/${bad}/projects` });
      expect(malformed).toMatchObject({ status: 403, error: "no_access_to_organization" });
      expect(malformed.text).toBe(foreign.text);
      const anonymous = { ...json, authorization: "" };
      expect((await send({ path: `/v1/orgs/${bad}/projects`, headers: anonymous })).status).toBe(401);
      expect((await send({ path: `/v1/${bad}/projects` })).status).toBe(404);
    },
  );

  it("a bad encoding in a query is a malformed parameter", async () => {
    const path = `/v1/orgs/${world.orgId}/projects?limit=%zz`;
    expect(await send({ path })).toMatchObject({ status: 400, error: "invalid_parameter" });
  });

  it("an encoded slash stays within its segment", async () => {
    const path = `/v1/orgs/${world.orgId}%2Fprojects`;
    expect(await send({ path })).toMatchObject({ status: 403, error: "no_access_to_organization" });
  });

  it.each([
    "limit=1&limit=2",
    "limit=",
    "limit=1.5",
    "limit=1e2",
    "limit=0x10",
    "limit=%201",
    "limit=99999999999999999999",
  ])("the query %s holds no limit", async (query) => {
    const got = await send({ path: `/v1/orgs/${world.orgId}/projects?${query}` });
    expect(got).toMatchObject({ status: 400, error: "invalid_parameter" });
    expect(got.text).toContain('"field":"limit"');
  });

  it("the methods that RPC callers have are no REST paths", async () => {
    const path = "/policyguard.control.v1.ProjectService/Nothing";
    const got = await send({ method: "POST", path, headers: json, body: "{}" });
    expect(got.status).toBe(404);
  });
});

describe("bodies", () => {
  it.each([
    ["nothing after a colon", '{"name":'],
    ["single quotes", "{'name': 'x'}"],
    ["a comment", '{"name": "x"} // x'],
    ["two values", '{"name": "x"} {}'],
    ["a duplicate key", '{"name": "x", "name": "y"}'],
    ["a duplicate key below", '{"name": "x", "description": {"a": 1, "a": 2}}'],
    ["an unpaired surrogate", '{"name": "\\ud800"}'],
    ["a byte order mark", "\ufeff{}"],
    ["NaN", '{"name": NaN}'],
    ["deep arrays", `${"[".repeat(5000)}${"]".repeat(5000)}`],
    ["deep objects", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`],
    ["unclosed arrays", "[".repeat(100_000)],
  ])("%s cannot be read", async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, error: "malformed_request" });
  });

  it("bytes that are no UTF-8 cannot be read", async () => {
    const body = Buffer.concat([Buffer.from('{"name": "'), Buffer.of(0xff, 0xfe), Buffer.from('"}')]);
    expect(await post(body)).toMatchObject({ status: 400, error: "malformed_request" });
  });

  it.each(["null", "[]", '"x"', "7", "true"])("the value %s is no request", async (body) => {
    expect(await post(body)).toMatchObject({ status: 422, error: "validation_failed" });
  });

  it("__proto__ is an unknown field like any other", async () => {
    const got = await post('{"name": "x", "__proto__": {"admin": true}}');
    expect(got).toMatchObject({ status: 422, error: "validation_failed" });
    expect(got.text).toContain("__proto__");
  });

  it.each(["text/plain", "application/xml", "application/json-patch+json", "application/json; charset=latin1", ""])(
    "a body of type %j is not read",
    async (type) => {
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
      const got = await send({ method: "POST", path: projectsPath(), headers, body: '{"name": "x"}' });
      expect(got).toMatchObject({ status: 415, error: "unsupported_media_type" });
    },
  );

  it.each(["gzip", "br", "deflate", "nonsense"])("a body in the encoding %s is not read", async (encoding) => {
    const headers = { ...json, "content-encoding": encoding };
    const got = await send({ method: "POST", path: projectsPath(), headers, body: gzipSync('{"name": "x"}') });
    expect(got).toMatchObject({ status: 415, error: "unsupported_media_type" });
  });

  const large = Buffer.alloc(callLimits.maxBodyBytes + 1, " ");

  it("a body that announces more than the limit is refused", async () => {
    expect(await post(large)).toMatchObject({ status: 413, error: "too_large" });
  });

  it("a body in chunks is refused when it passes the limit", async () => {
    const chunks = Array.from({ length: 9 }, () => large.subarray(0, Math.ceil(large.byteLength / 8)));
    expect(await post(chunks)).toMatchObject({ status: 413, error: "too_large" });
  });

  it("a body of the limit is read", async () => {
    const body = Buffer.alloc(callLimits.maxBodyBytes, " ");
    body.write('{"name": ""}');
    expect(await post(body)).toMatchObject({ status: 422, error: "validation_failed" });
  });

  it("an empty body is an empty request", async () => {
    expect(await post("")).toMatchObject({ status: 422, error: "validation_failed" });
  });

  it("the credential is checked before any body is read", async () => {
    const call = { method: "POST", path: projectsPath(), headers: { ...json, authorization: "" } };
    for (const body of ["{", '{"nmae": 1}', large]) expect((await send({ ...call, body })).status).toBe(401);
    const typed = { "content-type": "text/plain", authorization: "Bearer x" };
    expect((await send({ ...call, headers: typed, body: "x" })).status).toBe(401);
  });

  it("Connect calls that cannot be read are the caller's fault too", async () => {
    const path = "/policyguard.control.v1.ProjectService/CreateProject";
    for (const body of ["{", '{"name": 7}', '{"nmae": "x"}', "[]"]) {
      const got = await send({ method: "POST", path, headers: json, body });
      expect(got.status).toBeGreaterThanOrEqual(400);
      expect(got.status).toBeLessThan(500);
    }
  });
});

describe("connections", () => {
  it("headers above the limit are refused", async () => {
    const headers = { "x-filler": "x".repeat(defaultLimits.http1.maxHeaderSizeBytes) };
    expect((await send({ path: "/v1/bundles/keys", headers })).status).toBe(431);
  });

  it.each([
    ["no HTTP", "hello, is anybody there?\r\n\r\n"],
    ["a space in the target", "GET /v1/orgs/a b HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["no host", "GET /v1/bundles/keys HTTP/1.1\r\n\r\n"],
    ["two lengths", "POST /v1/orgs/x/projects HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"],
    [
      "a length and chunks",
      "POST /v1/orgs/x/projects HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    [
      "a chunk without size",
      "POST /v1/orgs/x/projects HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ["a NUL in a header", "GET /v1/bundles/keys HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n"],
  ])("%s is answered with 400", async (_, text) => {
    expect(await sendRaw(text)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("the server still answers afterwards", async () => {
    expect((await send({ path: `/v1/orgs/${world.orgId}` })).status).toBe(200);
  });
});

const json = { "content-type": "application/json" };

function projectsPath(): string {
  return `/v1/orgs/${world.orgId}/projects`;
}

function post(body: NonNullable<Sent["body"]>): Promise<Got> {
  return send({ method: "POST", path: projectsPath(), headers: json, body });
}

/** One request, its path and body exactly as given, by the admin unless the headers say otherwise. */
async function send({ method = "GET", path = "/", headers = {}, body }: Sent): Promise<Got> {
  const all = { authorization: `Bearer ${world.tokens.admin}`, ...headers };
  const outgoing = request(plane.baseUrl, { method, path, headers: all, agent: false });
  const answered = once(outgoing, "response");
  outgoing.on("error", () => undefined); // after the answer: the server takes no more of the body
  if (Array.isArray(body)) for (const chunk of body) outgoing.write(chunk);
  outgoing.end(Array.isArray(body) ? undefined : body);
  const [response] = await answered;
  const text = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)).toString("utf8");
  const isJson = String(response.headers["content-type"]).startsWith("application/json") && text !== "";
  const error = isJson ? (JSON.parse(text) as { detail?: { error?: string } }).detail?.error : undefined;
  return { status: response.statusCode, headers: response.headers, text, error };
}

/** Sends these bytes, and returns what first comes back; "" when the server ends the connection without a word. */
async function sendRaw(text: string): Promise<string> {
  const socket = connect(Number(new URL(plane.baseUrl).port), "127.0.0.1");
  socket.on("error", () => undefined); // a reset is an end, too
  socket.write(text);
  const first = await new Promise<string>((resolve) => {
    socket.once("data", (chunk) => resolve(chunk.toString("latin1")));
    socket.once("close", () => resolve(""));
  });
  socket.destroy();
  return first;
}
