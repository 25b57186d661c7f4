// Files on their way into datasets, over real sockets: whole, wrong in places, broken off, and fetched from elsewhere.

import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { type AddressInfo, connect as connectTcp } from "node:net";
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isAssurance, reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { callLimits } from "../../../src/config.ts";
import { eraseSamplesAbout } from "../../../src/domain/measure/dataset/dataset-erasure.ts";
import { sampleSeals } from "../../../src/domain/measure/dataset/dataset-sample.ts";
import { ImportRun } from "../../../src/domain/measure/dataset/import-run.ts";
import { shippedTrainingTexts } from "../../../src/domain/measure/dataset/training-text.ts";
import { RunWorker } from "../../../src/domain/run/run-worker.ts";
import { ErasureRun } from "../../../src/domain/telemetry/erasure-run.ts";
import { createOutbound } from "../../../src/kit/net/outbound/client.ts";
import { createNetworkGuard } from "../../../src/kit/net/outbound/guard.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import { eventually } from "../../harness/eventually.ts";
import { createMemoryMeter } from "../../harness/memory-meter.ts";
import { createMovedClock } from "../../harness/moved-clock.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { testSealer } from "../../harness/sealer.ts";
import { stillClock } from "../../harness/still-clock.ts";
import { setPlan } from "../../harness/vector/plan.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

const clock = createMovedClock();
let plane: TestControlPlane;
let world: World;
let workers: Database;
let count = 0;
const servers: Server[] = [];

beforeAll(async () => {
  plane = await startTestControlPlane({ clock, env: { POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8" } });
  world = await createWorld(plane.database);
  await setPlan(plane.database, world.orgId, "enterprise");
  workers = await openDatabase({ url: plane.urls.workerUrl, poolSize: 2, clock });
});

afterAll(async () => {
  await workers.close();
  await plane.stop();
});

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Json = Record<string, unknown>;

async function call(method: string, path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${world.tokens.admin}`, ...init.headers };
  const response = await fetch(`${plane.baseUrl}/v1/orgs/${world.orgId}${path}`, { method, ...init, headers });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return { status: response.status, text, headers: response.headers, body: (isJson ? JSON.parse(text) : {}) as Json };
}

async function newDataset(): Promise<string> {
  count += 1;
  const body = JSON.stringify({ name: `set-${count}` });
  const made = await call("POST", "/datasets", { body, headers: { "content-type": "application/json" } });
  return String(made.body.id);
}

function send(id: string, body: BodyInit, contentType: string, query = "") {
  return call("POST", `/datasets/${id}/import${query}`, { body, headers: { "content-type": contentType } });
}

/** A line of a large file: all have the same length. */
function largeLine(at: number): string {
  return `${JSON.stringify({ text: `${String(at).padStart(9, "0")} ${"some words of prose ".repeat(50)}` })}\n`;
}

/** Sends a file of lines without saying how long it is, and blanks up to its size. */
async function sendLarge(id: string, sizeBytes: number, onPiece: () => void) {
  const length = largeLine(0).length;
  const lines = Math.floor(sizeBytes / length);
  const pieces = function* () {
    for (let at = 0; at < lines; at += 64) {
      onPiece();
      yield Buffer.from(Array.from({ length: Math.min(64, lines - at) }, (_, i) => largeLine(at + i)).join(""));
    }
    yield Buffer.alloc(sizeBytes - lines * length, " ");
  };
  // Not by fetch(), which keeps what it has sent.
  const request = httpRequest(`${plane.baseUrl}/v1/orgs/${world.orgId}/datasets/${id}/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.tokens.admin}`, "content-type": "application/x-ndjson" },
  });
  const [[response]] = await Promise.all([
    once(request, "response") as Promise<[IncomingMessage]>, // what the event has
    // A server that refuses the file closes the connection before it has read all of it.
    pipeline(Readable.from(pieces()), request).catch(() => undefined),
  ]);
  const text = await textOf(response);
  return { status: response.statusCode, text, added: (JSON.parse(text) as Json).added };
}

const samplesOf = async (id: string) => (await call("GET", `/datasets/${id}/samples?limit=200`)).body;
const textsOf = async (id: string) => ((await samplesOf(id)).samples as Json[]).map(({ text }) => text);
const datasetOf = async (id: string) => (await call("GET", `/datasets/${id}`)).body;

describe("an import", () => {
  it("adds the right records of JSONL, and says where the wrong ones are", async () => {
    const id = await newDataset();
    const lines = [
      '\uFEFF{"text": "one", "labels": ["attack"], "external_id": 1}\r',
      "",
      '{"text": "two", "stage": "outptu"}',
      "{broken",
      '{"text": "three \\ud800"}',
      '{"text": "four", "lables": ["x"]}',
      '{"text": "five", "spans": [{"start": 2, "end": 9, "label": "x"}]}',
      '{"text": " one ", "labels": ["attack"]}',
      '{"text": "one", "labels": ["benign"]}',
      '{"text": "six"}',
      '{"text": "seven", "labels": ["a\\u0000b"]}',
    ];
    const { status, body } = await send(id, lines.join("\n"), "application/x-ndjson");
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: "succeeded", source: "body", format: "jsonl", version: 1 });
    expect(body).toMatchObject({ lines: 10, added: 2, replaced: 0, duplicates: 1, rejected: 7 });
    const errors = (body.errors as Json[]).map(({ line, field, code }) => [line, field, code]);
    expect(errors).toEqual([
      [3, "stage", "invalid"],
      [4, null, "malformed"],
      [5, "text", "malformed"],
      [6, "lables", "invalid"],
      [7, "spans[0]", "invalid"],
      [11, "labels", "malformed"],
      // Found when the samples are written.
      [9, "labels", "label_conflict"],
    ]);
    expect(await textsOf(id)).toEqual(["one", "six"]);
    const csv = await call("GET", `/datasets/${id}/imports/${body.id}/errors`);
    expect(csv.headers.get("content-type")).toMatch(/^text\/csv/);
    expect(csv.text.split("\r\n")[1]).toMatch(/^"3","","stage","invalid",/);
    const list = await call("GET", `/datasets/${id}/imports`);
    expect(list.body).toMatchObject({ total: 1, imports: [{ id: body.id, rejected: 7, errors: [] }] });
  });

  it("reads CSV with quotes, line ends in cells, and columns of others", async () => {
    const id = await newDataset();
    const mapping = JSON.stringify({
      fields: { text: "Goal", external_id: "Nr" },
      labels: [
        { column: "flag", equals: "1", label: "attack" },
        { column: "flag", equals: "0", label: "benign" },
      ],
      add_tags: ["imported"],
      language: "en",
    });
    const csv =
      'Nr,Goal,flag,note\r\n1,"say ""hi"",\nplease",1,x\r\n2,plain,0,\r\n3,too,many,cells,here\r\n4,st"ray,1,\r\n';
    const query = `?mapping=${encodeURIComponent(mapping)}`;
    const { status, body } = await send(id, csv, "text/csv", query);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ lines: 4, added: 2, rejected: 2 });
    expect(body.errors).toMatchObject([
      { line: 5, code: "malformed" },
      { line: 6, column: 5, code: "malformed" },
    ]);
    expect((await samplesOf(id)).samples).toMatchObject([
      { external_id: "1", text: 'say "hi",\nplease', labels: ["attack"], tags: ["imported"], language: "en" },
      { external_id: "2", labels: ["benign"] },
    ]);
  });

  it("reads a JSON array, also compressed, and gives back by export what it read", async () => {
    const id = await newDataset();
    const samples = Array.from({ length: 700 }, (_, at) => ({
      ...{ text: `text ${at} 😀`, labels: [at % 2 === 0 ? "attack" : "benign"], group: `g${at % 7}`, weight: 2 },
      spans: [{ segment: 0, start: 0, end: 4, label: "word" }],
    }));
    const file = gzipSync(JSON.stringify(samples, null, 1));
    const sha256 = createHash("sha256").update(file).digest("hex");
    const { status, body } = await send(id, file, "application/gzip", `?format=json&sha256=${sha256}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ lines: 700, added: 700, rejected: 0 });
    const exported = await call("GET", `/datasets/${id}/export`);
    expect(exported.headers.get("x-dataset-version")).toBe("1");
    const lines = exported.text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(samples);
    // What was exported can be imported, and has the same digest.
    const copy = await newDataset();
    expect((await send(copy, exported.text, "application/x-ndjson")).body).toMatchObject({ added: 700, rejected: 0 });
    const again = await call("GET", `/datasets/${copy}/export?format=csv`);
    expect(again.headers.get("x-dataset-digest")).toBe(exported.headers.get("x-dataset-digest"));
    expect((await datasetOf(copy)).digest).toBe(exported.headers.get("x-dataset-digest"));
    const third = await newDataset();
    expect((await send(third, again.text, "text/csv")).body).toMatchObject({ added: 700, rejected: 0 });
    const last = await call("GET", `/datasets/${third}/export`);
    expect(last.headers.get("x-dataset-digest")).toBe(exported.headers.get("x-dataset-digest"));
  });

  it("replaces duplicates where that is wanted, and keeps the former version", async () => {
    const id = await newDataset();
    await send(id, '{"text": "a", "labels": ["x"]}\n{"text": "b"}\n', "application/x-ndjson");
    const file = '{"text": "a", "labels": ["y"]}\n{"text": "a", "labels": ["z"]}\n{"text": "c"}';
    const { body } = await send(id, file, "application/x-ndjson", "?on_duplicate=replace");
    expect(body).toMatchObject({ version: 2, added: 1, replaced: 2 });
    expect((await samplesOf(id)).samples).toMatchObject([{ text: "a", labels: ["z"] }, { text: "b" }, { text: "c" }]);
    const former = await call("GET", `/datasets/${id}/samples?version=1`);
    expect(former.body.samples).toMatchObject([{ text: "a", labels: ["x"] }, { text: "b" }]);
    expect(await datasetOf(id)).toMatchObject({ sample_count: 3, counts: { label: { z: 1 } } });
  });

  it("refuses a file with another digest, a bomb, damaged gzip and columns that it does not know", async () => {
    const id = await newDataset();
    await send(id, '{"text": "kept"}', "application/x-ndjson");
    const digest = await send(id, '{"text": "new"}', "application/x-ndjson", `?sha256=${"0".repeat(64)}`);
    expect(digest.body).toMatchObject({ detail: { error: "digest_mismatch" } });
    expect(digest.status).toBe(409);
    const bomb = await send(id, gzipSync(Buffer.alloc(64 << 20, " ")), "application/gzip");
    expect([bomb.status, bomb.body]).toMatchObject([422, { detail: { error: "import_failed" } }]);
    const cut = gzipSync('{"text": "new"}\n'.repeat(100)).subarray(0, -6);
    expect((await send(id, cut, "application/gzip")).body).toMatchObject({ detail: { error: "import_failed" } });
    expect((await send(id, "txet\nnew\n", "text/csv")).body).toMatchObject({ detail: { error: "import_failed" } });
    // An array that was cut off is no file of half as many samples.
    for (const array of ['[{"text": "new"}', '[{"text": "new"} {"text": "newer"}]', "hello"]) {
      const broken = await send(id, array, "application/json");
      expect([broken.status, broken.body], array).toMatchObject([422, { detail: { error: "import_failed" } }]);
    }
    for (const [empty, type] of [
      ["", "application/x-ndjson"],
      ["", "text/csv"],
      [gzipSync(""), "application/gzip"],
    ] as const) {
      const nothing = await send(id, empty, type);
      expect([nothing.status, nothing.body]).toMatchObject([
        422,
        { detail: { error: "import_failed", message: expect.stringContaining("the file is empty") } },
      ]);
    }
    const mapping = encodeURIComponent('{"fields": {"txet": "a"}}');
    const mapped = await send(id, "a\nnew\n", "text/csv", `?mapping=${mapping}`);
    expect(mapped.status).toBe(400);
    expect(await textsOf(id)).toEqual(["kept"]);
    expect(await datasetOf(id)).toMatchObject({ version: 1, sample_count: 1, state: "failed" });
    const imports = (await call("GET", `/datasets/${id}/imports`)).body.imports as Json[];
    // Those of one moment have no order among themselves.
    const failed = imports.filter(({ state, version }) => state === "failed" && version === null);
    const codes = failed.map(({ error }) => (error as Json).code);
    expect(codes.toSorted()).toEqual([
      "digest_mismatch",
      ...Array.from({ length: codes.length - 1 }, () => "import_failed"),
    ]);
    expect(codes).toHaveLength(10);
    const { body } = await send(id, '{"text": "new"}', "application/x-ndjson");
    expect(body).toMatchObject({ state: "succeeded", version: 2 });
  });

  it("is the same dataset again, with samples of traces, of which an erasure reaches those that come back", async () => {
    const id = await newDataset();
    const trace = randomUUID();
    const source = { trace_id: trace, annotation_ids: [randomUUID()] };
    const lines = [
      { text: "=1+1", external_id: "@x", labels: ["-a"], tags: ["'b", "|"], group: "+g" },
      { text: '\uFEFFa "b",\r\n\0', stage: "output", language: "de", must_match: ["p/r"], weight: 0.1 },
      { segments: [{ text: "said" }, { role: "tool", text: "" }], source, spans: [{ start: 0, end: 2, label: "x" }] },
      { source, facts: { signals: [{ score: 0.5 }], text: "=" }, expected_outcome: "BLOCK" },
      { tool_calls: [{ name: "pay", arguments: { sum: 1e21, "": null } }], is_gray: true, split: "dev" },
    ];
    const first = await send(id, lines.map((line) => JSON.stringify(line)).join("\n"), "application/x-ndjson");
    expect(first.body).toMatchObject({ added: 5, rejected: 0, errors: [] });
    const jsonl = await call("GET", `/datasets/${id}/export`);
    const csv = await call("GET", `/datasets/${id}/export?format=csv`);
    const array = `[${jsonl.text.trimEnd().replaceAll("\n", ",")}]`;
    const digest = jsonl.headers.get("x-dataset-digest");
    for (const [file, type] of [
      [jsonl.text, "application/x-ndjson"],
      [csv.text, "text/csv"],
      [array, "application/json"],
    ] as const) {
      const copy = await newDataset();
      expect((await send(copy, file, type)).body).toMatchObject({ added: 5, rejected: 0, errors: [] });
      expect((await call("GET", `/datasets/${copy}/export`)).headers.get("x-dataset-digest")).toBe(digest);
    }
    // Whoever may not see texts of traces exports none, and is told so when the file comes back.
    const asCi = { authorization: `Bearer ${world.tokens.ci}` };
    const withheld = await call("GET", `/datasets/${id}/export?format=csv`, { headers: asCi });
    const { body: listed } = await call("GET", `/datasets/${id}/samples`);
    const traced = Object(listed).samples.find((each: { readonly source: unknown }) => each.source !== null);
    const { body: byId } = await call("GET", `/datasets/${id}/samples?sample_ids=${traced.id}`, { headers: asCi });
    expect(byId).toMatchObject({
      total: 1,
      samples: [{ id: traced.id, text_withheld: true, segments: [{ text: "" }, {}] }],
    });
    const refused = await send(await newDataset(), withheld.text, "text/csv");
    expect(refused.body).toMatchObject({ added: 4, rejected: 1, errors: [{ field: "text", code: "withheld" }] });
    const { body: erasure } = await call("POST", "/erasures", {
      body: JSON.stringify({ subject: { trace_ids: [trace] }, reason: "asked" }),
      headers: { "content-type": "application/json" },
    });
    const kinds = { erasure: new ErasureRun(testSealer, eraseSamplesAbout) };
    const worker = new RunWorker(workers, { kinds, clock: stillClock, log: pino({ level: "silent" }) });
    await worker.work({ org_id: world.orgId, run_id: String(erasure.id) });
    expect((await textsOf(id)).length).toBe(3);
    const late = await send(await newDataset(), csv.text, "text/csv");
    expect(late.body).toMatchObject({
      ...{ added: 3, rejected: 2 },
      errors: [
        { field: "source", code: "erased" },
        { field: "source", code: "erased" },
      ],
    });
  });

  it("names the field and its source that do not fit, of the mapping before the file is read", async () => {
    const id = await newDataset();
    const long = "x".repeat(129);
    const mapping = {
      ...{ language: "not a tag", add_labels: ["fine", long], add_tags: [""] },
      labels: [{ column: "flag", equals: "1", label: "a\u0000b" }],
    };
    const wrong = await send(id, "text\na\n", "text/csv", `?mapping=${encodeURIComponent(JSON.stringify(mapping))}`);
    expect(wrong.status).toBe(400);
    expect((wrong.body.detail as Json).fields).toMatchObject([
      { field: "mapping.language" },
      { field: "mapping.labels[0].label" },
      { field: "mapping.add_labels[1]" },
      { field: "mapping.add_tags[0]" },
    ]);
    const labels = Array.from({ length: 32 }, (_, at) => `l${at}`);
    const added = encodeURIComponent(JSON.stringify({ add_labels: ["l0", "more"] }));
    const file = `${JSON.stringify({ text: "a", labels })}\n${JSON.stringify({ text: "b", labels: labels.slice(1) })}\n`;
    const { body } = await send(id, file, "application/x-ndjson", `?mapping=${added}`);
    expect(body).toMatchObject({
      added: 0,
      errors: [
        { line: 1, field: "labels", message: expect.stringContaining("33 entries") },
        { line: 2, field: "labels" },
      ],
    });
  });

  it("of a large file takes memory for a part of it", { timeout: 3_600_000 }, async () => {
    const { n: mebibytes } = sampleOf({ n: 2, seed: 1 });
    const id = await newDataset();
    const sizeBytes = mebibytes * 2 ** 20;
    const memory = createMemoryMeter({ everyMs: 1_000 });
    const { status, added } = await sendLarge(id, sizeBytes, memory.look);
    expect([status, added]).toEqual([200, Math.floor(sizeBytes / largeLine(0).length)]);
    const held_mib = Math.round(memory.grownBytes() / 2 ** 20);
    // Caller and server are one process here. A body that is held would be there twice.
    if (mebibytes >= 128) expect(held_mib).toBeLessThan(64);
    reportSample({ n: mebibytes, failures: 0, figures: { held_mib } });
  });

  it("above the limit is refused, and says the limit and what to do", { timeout: 3_600_000 }, async () => {
    const id = await newDataset();
    const limitBytes = 256 * 2 ** 20;
    const socket = connectTcp(Number(new URL(plane.baseUrl).port), "127.0.0.1");
    socket.write(`POST /v1/orgs/${world.orgId}/datasets/${id}/import HTTP/1.1\r\nHost: x\r\n`);
    socket.write(`Authorization: Bearer ${world.tokens.admin}\r\nContent-Type: application/x-ndjson\r\n`);
    socket.write(`Content-Length: ${limitBytes + 1}\r\n\r\n`);
    const [answer] = await once(socket, "data");
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 [\s\S]*"error":"too_large"/);
    expect(String(answer)).toContain(`"limit_bytes":${limitBytes}`);
    expect(String(answer)).toMatch(/gzip.*url/);
    if (isAssurance()) {
      const { status, text } = await sendLarge(id, limitBytes + 1, () => undefined);
      expect([status, text]).toEqual([413, expect.stringMatching(/too_large.*gzip/)]);
    }
    expect(await datasetOf(id)).toMatchObject({ version: 0, sample_count: 0 });
  });

  it("that breaks off leaves no version, over HTTP/1.1 and HTTP/2", async () => {
    const id = await newDataset();
    const { port } = new URL(plane.baseUrl);
    const path = `/v1/orgs/${world.orgId}/datasets/${id}/import`;
    const line = `${JSON.stringify({ text: "x".repeat(900) })}\n`;
    const socket = connectTcp(Number(port), "127.0.0.1");
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.tokens.admin}\r\n`);
    socket.write(`Content-Type: application/x-ndjson\r\nContent-Length: 1000000\r\n\r\n${line}`);
    const imports = async () => (await call("GET", `/datasets/${id}/imports`)).body.imports as Json[];
    await eventually(async () => expect(await imports()).toHaveLength(1));
    // Meanwhile nobody else changes it.
    const other = await send(id, '{"text": "b"}', "application/x-ndjson");
    expect(other.body).toMatchObject({ detail: { error: "conflict" } });
    socket.destroy();
    await eventually(async () => expect(await imports()).toMatchObject([{ state: "failed" }]));
    const session = connectHttp2(plane.baseUrl);
    const stream = session.request({
      ...{ ":method": "POST", ":path": path, authorization: `Bearer ${world.tokens.admin}` },
      "content-type": "application/x-ndjson",
    });
    stream.on("error", () => undefined);
    stream.write(line);
    await eventually(async () => expect(await imports()).toHaveLength(2));
    stream.close(8); // CANCEL
    await eventually(async () => expect(await imports()).toMatchObject([{ state: "failed" }, { state: "failed" }]));
    session.close();
    expect(await datasetOf(id)).toMatchObject({ version: 0, sample_count: 0, state: "failed" });
  });

  it("whose body drips is cut off by the limit for bodies, and leaves no version", async () => {
    const limits = { ...callLimits, streamTimeoutMs: 5_000 };
    const impatient = await startTestControlPlane({ clock, urls: plane.urls, limits });
    const id = await newDataset();
    const socket = connectTcp(Number(new URL(impatient.baseUrl).port), "127.0.0.1");
    socket.on("error", () => undefined);
    let said = "";
    socket.on("data", (data) => {
      said += String(data);
    });
    socket.write(`POST /v1/orgs/${world.orgId}/datasets/${id}/import HTTP/1.1\r\nHost: x\r\n`);
    socket.write(`Authorization: Bearer ${world.tokens.admin}\r\nContent-Type: application/x-ndjson\r\n`);
    socket.write("Content-Length: 5000000\r\n\r\n");
    const drip = setInterval(() => socket.write("{"), 20);
    try {
      await eventually(() => expect(said).toMatch(/^HTTP\/1\.1 504 [\s\S]*"error":"deadline_exceeded"/));
      const [{ state, error } = {}] = (await call("GET", `/datasets/${id}/imports`)).body.imports as Json[];
      expect({ state, error }).toMatchObject({ state: "failed", error: { code: "deadline_exceeded" } });
      expect(await datasetOf(id)).toMatchObject({ version: 0, sample_count: 0, state: "failed" });
    } finally {
      clearInterval(drip);
      socket.destroy();
      await impatient.stop();
    }
  });

  it("of which the process died is ended, and what it wrote is gone", async () => {
    const id = await newDataset();
    const { port } = new URL(plane.baseUrl);
    const socket = connectTcp(Number(port), "127.0.0.1");
    socket.write(`POST /v1/orgs/${world.orgId}/datasets/${id}/import HTTP/1.1\r\nHost: x\r\n`);
    socket.write(`Authorization: Bearer ${world.tokens.admin}\r\nContent-Type: application/x-ndjson\r\n`);
    socket.write("Content-Length: 5000000\r\n\r\n");
    for (let at = 0; at < 600; at++) socket.write(`${JSON.stringify({ text: `${at}` })}\n`);
    const read = async () => ((await call("GET", `/datasets/${id}/imports`)).body.imports as Json[])[0];
    await eventually(async () => expect(await read()).toMatchObject({ state: "running", added: 500 }));
    const run = new ImportRun(
      { database: workers, sealer: testSealer, seals: sampleSeals(testSealer), trainingTexts: shippedTrainingTexts() },
      createOutbound({ guard: createNetworkGuard({ allowNetworks: [], dnsServers: [] }) }),
    );
    expect(await run.sweep(clock.now())).toBe(0);
    expect(await run.sweep(new Date(clock.now().getTime() + 600_000))).toBe(1);
    expect(await read()).toMatchObject({ state: "failed" });
    expect(await samplesOf(id)).toMatchObject({ version: 0, total: 0 });
    // The one that was thought dead writes nothing any more.
    socket.write(`${JSON.stringify({ text: "late" })}\n`.repeat(600));
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1.1 409 /);
    socket.destroy();
    expect(await datasetOf(id)).toMatchObject({ version: 0, sample_count: 0, state: "failed" });
  });
});

describe("an import by an address", () => {
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  function order(id: string, body: Json) {
    return send(id, JSON.stringify(body), "application/json");
  }

  async function work(importId: unknown, { allowNetworks = ["127.0.0.0/8"] } = {}): Promise<void> {
    const parts = {
      database: workers,
      sealer: testSealer,
      seals: sampleSeals(testSealer),
      trainingTexts: shippedTrainingTexts(),
    };
    const outbound = createOutbound({ guard: createNetworkGuard({ allowNetworks, dnsServers: [] }) });
    const kinds = { dataset_import: new ImportRun(parts, outbound) };
    const worker = new RunWorker(workers, { kinds, clock: stillClock, log: pino({ level: "silent" }) });
    try {
      await worker.work({ org_id: world.orgId, run_id: String(importId) });
    } finally {
      await outbound.close();
    }
  }

  const importOf = async (id: string, importId: unknown) =>
    (await call("GET", `/datasets/${id}/imports/${importId}`)).body;

  it("is fetched by a run, redirects included", async () => {
    const id = await newDataset();
    const base = await serve((request, response) => {
      if (request.url === "/first.csv") response.writeHead(302, { location: "/second.csv" }).end();
      else response.end("text,labels\nhello,greeting|short\nbye,\n");
    });
    const { status, body } = await order(id, { url: `${base}/first.csv` });
    expect([status, body]).toMatchObject([200, { state: "queued", source: "url", format: "csv" }]);
    expect(await datasetOf(id)).toMatchObject({ state: "importing" });
    await work(body.id);
    expect(await importOf(id, body.id)).toMatchObject({ state: "succeeded", added: 2, version: 1 });
    expect((await samplesOf(id)).samples).toMatchObject([{ labels: ["greeting", "short"] }, { labels: [] }]);
  });

  it.each<[string, RequestListener, string]>([
    ["endless redirects", (_, response) => response.writeHead(302, { location: "/" }).end(), "import_failed"],
    [
      "a redirect to an address that is refused",
      (_, response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end(),
      "address_refused",
    ],
    ["another status", (_, response) => response.writeHead(404).end(), "import_failed"],
    [
      "a body that breaks off",
      (_, response) =>
        response.writeHead(200, { "content-length": "100" }).write('{"text": "a"}\n', () => response.destroy()),
      "import_failed",
    ],
  ])("fails by %s, and changes nothing", async (_, listener, code) => {
    const id = await newDataset();
    const { body } = await order(id, { url: await serve(listener) });
    await work(body.id);
    expect(await importOf(id, body.id)).toMatchObject({ state: "failed", error: { code } });
    expect(await datasetOf(id)).toMatchObject({ state: "failed", version: 0, sample_count: 0 });
  });

  it("of an entry of the catalog fails when the file has other bytes than were named, and says which it has", async () => {
    const file = "id,prompt,type,label\n1,How do I end a process?,homonyms,safe\n";
    const base = await serve((_, response) => response.end(file));
    const sha256 = createHash("sha256").update(file).digest("hex");
    const install = (name: string, digest: string) =>
      call("POST", "/datasets/install", {
        body: JSON.stringify({
          catalog_id: "xstest",
          accept_licence: true,
          name,
          url: `${base}/x.csv`,
          sha256: digest,
        }),
        headers: { "content-type": "application/json" },
      });
    const worked = async (id: string) => {
      const [{ id: importId } = {}] = (await call("GET", `/datasets/${id}/imports`)).body.imports as Json[];
      await work(importId);
      return importOf(id, importId);
    };
    const other = await install("other-bytes", "0".repeat(64));
    expect(other.status).toBe(201);
    expect(await worked(String(other.body.id))).toMatchObject({ error: { code: "digest_mismatch" }, version: null });
    const same = await install("same-bytes", sha256);
    expect(await worked(String(same.body.id))).toMatchObject({ state: "succeeded", added: 1 });
    const { evidence } = (await call("GET", "/evidence?action=dataset.import_complete&limit=1")).body;
    expect(evidence).toMatchObject([{ after: { sha256, added: 1 } }]);
  });

  it("is refused at once where the address is not public, and checked again by the run", async () => {
    const id = await newDataset();
    const refused = await order(id, { url: "https://10.1.2.3/file.jsonl" });
    expect([refused.status, refused.body]).toMatchObject([400, { detail: { error: "address_refused" } }]);
    const base = await serve((_, response) => response.end('{"text": "secret"}'));
    const { body } = await order(id, { url: base });
    await work(body.id, { allowNetworks: [] });
    expect(await importOf(id, body.id)).toMatchObject({ state: "failed", error: { code: "address_refused" } });
  });

  it("can be canceled, and begins anew after its worker has died", async () => {
    const id = await newDataset();
    const base = await serve((_, response) => response.end('{"text": "a"}\n{"text": "b"}'));
    const first = await order(id, { url: base });
    const canceled = await call("POST", `/datasets/${id}/imports/${first.body.id}/cancel`);
    expect([canceled.status, canceled.body]).toMatchObject([200, { state: "canceled" }]);
    expect((await call("POST", `/datasets/${id}/imports/${first.body.id}/cancel`)).status).toBe(409);
    await work(first.body.id);
    expect(await datasetOf(id)).toMatchObject({ state: "ready", version: 0 });
    const second = await order(id, { url: base });
    let calls = 0;
    servers[0]?.removeAllListeners("request");
    servers[0]?.on("request", (_, response) => {
      calls += 1;
      if (calls > 1) response.end('{"text": "a"}\n{"text": "b"}');
      else response.write(`${'{"text": "a"}\n'.repeat(2)}`);
    });
    const dying = work(second.body.id);
    await eventually(async () => expect(calls).toBe(1));
    await work(second.body.id); // as the sweep has it done
    servers[0]?.closeAllConnections();
    await dying;
    expect(await importOf(id, second.body.id)).toMatchObject({ state: "succeeded", added: 2, duplicates: 0 });
    expect(await textsOf(id)).toEqual(["a", "b"]);
  });
});

describe("a large dataset that ships", () => {
  it("is imported by a run, from what ships", async () => {
    const accepted = { accept_licence: true, catalog_id: "injection-corpus" };
    const headers = { "content-type": "application/json" };
    const installed = await call("POST", "/datasets/install", { body: JSON.stringify(accepted), headers });
    expect([installed.status, installed.body]).toMatchObject([201, { state: "importing", version: 0 }]);
    const id = String(installed.body.id);
    const list = (await call("GET", `/datasets/${id}/imports`)).body.imports as Json[];
    expect(list).toMatchObject([{ state: "queued", source: "catalog" }]);
    // The same run imports whatever entry the dataset is of; a small one will do.
    await plane.database.systemTransaction(world.orgId, (tx) =>
      tx.sql("update dataset set catalog_id = '9462ff64-5939-4b2c-9253-b702a4550c3a' where id = ?", [id]),
    );
    const parts = {
      database: workers,
      sealer: testSealer,
      seals: sampleSeals(testSealer),
      trainingTexts: shippedTrainingTexts(),
    };
    const outbound = createOutbound({ guard: createNetworkGuard({ allowNetworks: [], dnsServers: [] }) });
    const kinds = { dataset_import: new ImportRun(parts, outbound) };
    const worker = new RunWorker(workers, { kinds, clock: stillClock, log: pino({ level: "silent" }) });
    await worker.work({ org_id: world.orgId, run_id: String(list[0]?.id) });
    await outbound.close();
    expect(await datasetOf(id)).toMatchObject({ state: "ready", version: 1, sample_count: 297, training_overlap: 0 });
  });
});

it("a dataset that a gate names is found by its id in every spelling", async () => {
  const id = await newDataset();
  await send(id.toUpperCase(), '{"text": "a", "labels": ["attack"]}\n{"text": "b"}', "application/x-ndjson");
  const gates = `/projects/${world.projectId}/envs/${world.environment}/gates`;
  const headers = { "content-type": "application/json" };
  const gate = {
    ...{ id: "good", kind: "benchmark", on: ["publish"], enforcement: "warn" },
    benchmark: {
      ...{ dataset_id: id.toUpperCase(), positive: { labels: ["attack"] } },
      require: [{ metric: "recall", at_least: 0.5 }],
    },
  };
  const set = await call("PUT", gates, { body: JSON.stringify({ gates: [gate] }), headers });
  expect([set.status, set.body]).toMatchObject([200, { gates: [{ benchmark: { dataset_id: id } }] }]);
  for (const spelling of [id, id.toUpperCase(), `${id.slice(0, 18).toUpperCase()}${id.slice(18)}`]) {
    const refused = await call("DELETE", `/datasets/${spelling}`);
    expect([refused.status, refused.body]).toMatchObject([409, { detail: { error: "dataset_in_use" } }]);
  }
  expect((await call("PUT", gates, { body: JSON.stringify({ gates: [] }), headers })).status).toBe(200);
  expect((await call("DELETE", `/datasets/${id.toUpperCase()}`)).status).toBe(204);
  expect((await call("GET", `/datasets/${id}`)).status).toBe(404);
  // Evidence has one spelling.
  const { evidence } = (await call("GET", `/evidence?resource=dataset/${id}&limit=50`)).body;
  const actions = (evidence as Json[]).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(["dataset.create", "dataset.import", "dataset.delete"]));
});
