// Spans of a control plane, a worker and a runtime, as a collector gets them over HTTP. What people and customers wrote
// is planted into every field of every call, and must not be among them.

import { join } from "node:path";
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { controlServices } from "../../src/control-services.ts";
import { tokenPattern } from "../../src/kit/crypto/token.ts";
import { newId } from "../../src/kit/process/id.ts";
import { eventually } from "../harness/eventually.ts";
import { hasAddon } from "../harness/model/model-host.ts";
import { writeTinyModel } from "../harness/model/tiny-model.ts";
import { type CollectedSpan, type SpanCollector, startSpanCollector } from "../harness/net/span-collector.ts";
import { startWebhookSink, type WebhookSink } from "../harness/net/webhook-sink.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { type NodeProcess, startNodeProcess } from "../harness/process/node-process.ts";
import { startWorkerProcess } from "../harness/process/worker-process.ts";
import { createWorld } from "../harness/vector/world.ts";

const canary = "canary7f3k";
const address = "203.0.113.77";
const marked = {
  "user-agent": canary,
  "x-request-id": canary,
  "x-forwarded-for": address,
  cookie: `a=${canary}`,
  tracestate: `a=${canary}`,
  baggage: `a=${canary}`,
};
const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: ${canary}, description: ${canary}}
defaults: {timeout_ms: 30000}
detectors:
  ${canary}: {use: keywords, keywords: [${canary}]}
  people: {use: pii}
  ${canary}-http: {use: backend, backend: {key: ${canary}-http}, threshold: 0.5, on_error: fail_open}
  ${canary}-model: {use: backend, backend: {key: ${canary}-model}, threshold: 0.999, on_error: fail_open}
rules:
  - {id: ${canary}, stages: [input], detect: ${canary}, action: FLAG, message: ${canary}}
  - {id: people, stages: [input], detect: people, action: FLAG}
  - {id: ${canary}-http, stages: [input], detect: ${canary}-http, action: FLAG}
  - {id: ${canary}-model, stages: [input], detect: ${canary}-model, action: FLAG}
`;

let collector: SpanCollector;
let sink: WebhookSink;
let backend: WebhookSink;
let home: Installation;
let runtime: NodeProcess;
let spans: readonly CollectedSpan[];
let answers = 0;

beforeAll(async () => {
  collector = await startSpanCollector();
  sink = await startWebhookSink();
  backend = await startWebhookSink();
  backend.answerWith(({ body }) => {
    const { texts }: { readonly texts: readonly string[] } = JSON.parse(body.toString("utf8"));
    const results = texts.map(() => ({ findings: [{ label: canary, score: 0.9 }] }));
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ results }) };
  });
  const telemetry = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=ours%20only",
    OTEL_TRACES_SAMPLER_ARG: "1",
    POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
  };
  home = await startInstallation({ env: telemetry });
  const { urls } = home.plane;
  const own = { ...telemetry, POLICY_GUARD_MASTER_KEY: home.masterKey };
  const worker = await startWorkerProcess({ ...own, DATABASE_WORKER_URL: urls.workerUrl });
  await home.call("POST", "/webhooks", { url: `${sink.url}/${canary}?a=${canary}`, events: ["policy.updated"] });
  await home.call("PUT", `/detector-backends/${canary}-http`, {
    ...{ url: `${backend.url}/${canary}?a=${canary}`, shape: "policy-guard", timeout_ms: 20_000 },
  });
  const model = { url: `model:${canary}`, shape: "onnx-text-classification", timeout_ms: 20_000 };
  await home.call("PUT", `/detector-backends/${canary}-model`, model);
  await home.createPolicy(policy);
  await home.publish();
  await evaluate(telemetry);
  await callEverything();
  await sink.received(1);
  await worker.stop();
  await runtime.stop();
  await home.stop();
  spans = collector.spans();
}, 300_000);

afterAll(async () => {
  await collector.close();
  await sink.close();
  await backend.close();
});

async function evaluate(telemetry: Record<string, string>): Promise<void> {
  const models = home.newFolder();
  if (hasAddon) writeTinyModel(join(models, canary));
  runtime = await startNodeProcess({
    script: "runtime/main.ts",
    readyMessage: "runtime is listening",
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: telemetry.OTEL_EXPORTER_OTLP_ENDPOINT ?? "",
      OTEL_TRACES_SAMPLER_ARG: "1",
      RUNTIME_PORT: "0",
      RUNTIME_MANAGEMENT_PORT: "0",
      POLICY_GUARD_DATA: home.newFolder(),
      POLICY_GUARD_URL: home.url,
      POLICY_GUARD_TOKEN: home.token,
      BACKEND_ORIGINS: new URL(backend.url).origin,
      ...(hasAddon && { MODEL_FOLDER: models, MODEL_THREADS: "1" }),
    },
  });
  const url = `http://127.0.0.1:${runtime.facts.port}/v1/evaluate/input`;
  const headers = { ...marked, "content-type": "application/json", authorization: `Bearer ${home.token}` };
  const send = async (body: object) =>
    (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  const text = `${canary}, mail ${canary}@example.com`;
  const first = () => send({ text: `${text} ${newId()}` });
  // A model is loaded first.
  const judged = { outcome: "FLAG", ...(hasAddon && { unjudged: [] }) };
  await eventually(async () => expect(await first()).toMatchObject(judged), 120_000);
  // By the fast path, and with every field that a request has.
  const subject = { user_id: canary, roles: [canary], attributes: { [canary]: canary } };
  const known = { text, session_id: canary, agent_id: canary, subject, metadata: { [canary]: canary } };
  expect(await send(known)).toMatchObject({ outcome: "FLAG" });
  await send({
    ...filledFields(EvaluateRequestSchema, 0),
    evaluation_id: newId(),
    text,
    options: {},
    [canary]: canary,
  });
}

/** Calls each method of the control plane with the canary in each of its fields, as the admin of an organization. */
async function callEverything(): Promise<void> {
  const world = await createWorld(home.plane.database);
  const transport = createConnectTransport({ baseUrl: home.url, httpVersion: "1.1" });
  const headers = { ...marked, authorization: `Bearer ${world.tokens.admin}` };
  const known: Record<string, string> = { orgId: world.orgId, projectId: world.projectId, envName: world.environment };
  const methods = controlServices.flatMap((service) => service.methods);
  const call = async (method: DescMethod) => {
    const request = { ...filledFields(method.input, 0) };
    for (const { localName, name } of method.input.fields)
      if (localName in known) request[name] = known[localName] ?? "";
    const message = fromJson(method.input, request);
    const signal = AbortSignal.timeout(10_000);
    try {
      if (isUnary(method)) await transport.unary(method, signal, 10_000, headers, message);
      else {
        const { message: stream } = await transport.stream(
          method as DescMethodStreaming,
          signal,
          10_000,
          headers,
          once(message),
        );
        for await (const _ of stream) break;
      }
    } catch {
      // Most are refused: what they carried was read all the same.
    }
    answers++;
  };
  for (let from = 0; from < methods.length; from += 8) await Promise.all(methods.slice(from, from + 8).map(call));
  await fetch(`${home.url}/v1/orgs/${canary}/traces?agent_id=${canary}&q=${canary}`, { headers });
  await fetch(`${home.url}/v1/auth/register`, {
    method: "POST",
    headers: { ...marked, "content-type": "application/json" },
    body: JSON.stringify({ email: `${canary}@example.com`, password: `${canary} is long enough`, name: canary }),
  });
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

async function* once<T>(message: T): AsyncGenerator<T> {
  yield message;
}

/** A request as JSON whose fields all carry the canary. */
function filledFields(message: DescMessage, depth: number): JsonObject {
  const fields = message.fields.filter(
    (field) => depth < 4 && (field.oneof === undefined || field.oneof.fields[0] === field),
  );
  return Object.fromEntries(fields.map((field) => [field.name, filledField(field, depth)]));
}

function filledField(field: DescField, depth: number): JsonValue {
  if (field.fieldKind === "map") {
    if (field.mapKind !== "scalar") return { [canary]: field.mapKind === "enum" ? 0 : {} };
    return { [canary]: field.scalar === 9 ? canary : 1 };
  }
  const one = filledValue(field, depth);
  if (field.fieldKind !== "list") return one;
  return one === null ? [] : [one];
}

function filledValue(field: DescField, depth: number): JsonValue {
  if (field.message !== undefined) {
    const { typeName } = field.message;
    if (typeName === "google.protobuf.Struct") return { [canary]: canary };
    if (typeName === "google.protobuf.Value") return canary;
    if (typeName === "google.protobuf.Timestamp") return "2026-01-01T00:00:00Z";
    if (typeName.startsWith("google.protobuf.")) return null;
    return filledFields(field.message, depth + 1);
  }
  if (field.enum !== undefined) return field.enum.values.at(-1)?.number ?? 0;
  if (field.scalar === 9) return canary;
  if (field.scalar === 12) return Buffer.from(canary).toString("base64");
  return field.scalar === 8 ? true : 1;
}

function named(name: string | RegExp): CollectedSpan[] {
  return spans.filter((span) => (typeof name === "string" ? span.name === name : name.test(span.name)));
}

it("no text, name, address, token or header of a caller reaches the collector", () => {
  expect(answers).toBeGreaterThan(200);
  expect(spans.length).toBeGreaterThan(answers);
  const sent = collector.requests.map(({ path, body }) => `${path}\n${body}`).join("\n");
  const found = [canary, Buffer.from(canary).toString("base64"), address, "127.0.0.1", "@", "localhost"].filter(
    (text) => sent.includes(text),
  );
  expect(found).toEqual([]);
  expect(tokenPattern.exec(sent)).toBeNull();
  expect(collector.requests.every(({ path }) => path === "/v1/traces")).toBe(true);
});

it("the operator's headers go to the collector, decoded", () => {
  expect(collector.requests.some(({ headers }) => headers["x-tenant"] === "ours only")).toBe(true);
});

it("a call is a span, its transactions are parts of it, and a job names the call that made it necessary", () => {
  const [call] = named("policyguard.control.v1.PolicyService/CreatePolicy").filter(
    ({ attributes }) => attributes["rpc.response.status_code"] === "ok",
  );
  expect(call).toMatchObject({ service: "policy-guard-control-plane", kind: 2, status: 0, parentSpanId: undefined });
  const changes = named("transaction: change").filter(({ parentSpanId }) => parentSpanId === call?.spanId);
  expect(changes.length).toBeGreaterThan(0);
  const jobs = named("job: deliver-webhook").filter(({ links }) => links[0]?.traceId === call?.traceId);
  expect(jobs[0]).toMatchObject({ service: "policy-guard-worker", kind: 5 });
  expect(jobs[0]?.traceId).not.toBe(call?.traceId);
  expect(changes.map(({ spanId }) => spanId)).toContain(jobs[0]?.links[0]?.spanId);
});

it("an outbound call is a span, and its target gets it as traceparent", () => {
  const outbound = named("outbound call");
  const header = sink.requests[0]?.headers.traceparent;
  expect(outbound.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)).toContain(header);
  const [delivery] = outbound.filter(({ spanId }) => String(header).includes(spanId));
  expect(delivery).toMatchObject({ kind: 3, attributes: { "http.response.status_code": 204 } });
});

it("a runtime's own calls to the control plane are traces, of which the control plane's spans are parts", () => {
  const calls = [
    "policyguard.runtime.v1.ReportingService/Enrol",
    "policyguard.runtime.v1.ReportingService/Report",
    "policyguard.control.v1.BundleService/GetLatestBundle",
  ];
  for (const name of calls) {
    const own = named(name).filter(({ service, parentSpanId }) => service === "policy-guard-runtime" && !parentSpanId);
    expect(own.length, name).toBeGreaterThan(0);
    expect(own.every(({ kind }) => kind === 3)).toBe(true);
    const answered = named(name).filter(({ service }) => service === "policy-guard-control-plane");
    const parents = new Set(answered.map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`));
    expect(
      own.some(({ traceId, spanId }) => parents.has(`${traceId} ${spanId}`)),
      name,
    ).toBe(true);
  }
  const reports = named("report");
  expect(reports.filter(({ status }) => status === 0).length).toBeGreaterThan(0);
  expect(reports[0]?.attributes["policy_guard.evaluations"]).toBeGreaterThan(0);
});

it("a call of a detector backend, and of a model, is a part of its evaluation's call", () => {
  const calls = new Set(named(/EvaluationService\/EvaluateInput$/).map(({ traceId }) => traceId));
  const outbound = named("outbound call").filter(({ service }) => service === "policy-guard-runtime");
  expect(outbound.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)).toContain(
    backend.requests.at(-1)?.headers.traceparent,
  );
  const models = named("model call");
  for (const part of [outbound, models]) {
    expect(part.length).toBeGreaterThan(0);
    expect(part.filter(({ traceId }) => !calls.has(traceId))).toEqual([]);
  }
  const failures = models.map(({ attributes }) => attributes["policy_guard.model_failure"]);
  expect(failures).toContain(hasAddon ? undefined : "model_missing");
});

it("an evaluation is a part of its call, with an event for each detector", () => {
  const calls = named("policyguard.runtime.v1.EvaluationService/EvaluateInput");
  expect(calls.length).toBeGreaterThanOrEqual(3);
  const evaluations = named("evaluation").filter(({ attributes }) => attributes["policy_guard.outcome"] === "FLAG");
  expect(evaluations.length).toBeGreaterThanOrEqual(2);
  for (const { service, parentSpanId, events } of evaluations) {
    expect(service).toBe("policy-guard-runtime");
    expect(calls.map(({ spanId }) => spanId)).toContain(parentSpanId);
    expect(events).toEqual(expect.arrayContaining(["keywords", "pii"]));
  }
});
