// Runs every evaluate vector on the engine alone and on a live runtime over REST, Connect and gRPC: one truth
// everywhere.

import { create, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAnswerer } from "../gateway/rest/answer.ts";
import { routesOf } from "../gateway/route/route.ts";
import { BundleReferenceSchema, type EvaluateRequest } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { AdapterService } from "../gen/policyguard/runtime/v1/adapter_service_pb.ts";
import { EvaluationService } from "../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import {
  type EvaluateStep,
  type EvaluateVector,
  EvaluateVectorSchema,
} from "../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { compileBundle } from "../runtime/bundle/compile.ts";
import { detectorCatalogIds } from "../runtime/engine/policy/catalog-id.ts";
import { stageOfTranscript } from "../runtime/engine/segment/segment.ts";
import { isAssurance, isSampled, reportSample, shareOf } from "../scripts/assurance/sample.ts";
import { methodFacts } from "../src/kit/rpc/options.ts";
import {
  callName,
  type Dialect,
  dialects,
  rpcMessage,
  type TestAnswer,
  type TestCall,
} from "./harness/vector/dialect.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "./harness/vector/evaluate-stage.ts";
import { type EvaluateStages, startEvaluateStages } from "./harness/vector/evaluate-stages.ts";
import { evaluateVectors, requestJsonOf } from "./harness/vector/evaluate-vector.ts";
import { mismatches } from "./harness/vector/match.ts";
import { expanded } from "./harness/vector/placeholder.ts";
import { compareWithExample } from "./harness/vector/recorded-example.ts";

const routes = routesOf([EvaluationService, AdapterService]);
const stages: Readonly<Record<string, Stage>> = {
  input: Stage.INPUT,
  output: Stage.OUTPUT,
  "tool-call": Stage.TOOL_CALL,
  "tool-result": Stage.TOOL_RESULT,
  retrieval: Stage.RETRIEVAL,
  schema: Stage.OUTPUT,
};

/** The vectors of which the API's documentation shows request and answer. */
const exampleVectors: Readonly<Record<string, string | undefined>> = {
  "EvaluationService/EvaluateInput": "outcome/redact_placeholders",
  "EvaluationService/EvaluateOutput": "outcome/block_output",
  "EvaluationService/EvaluateToolCall": "tool-call/condition",
  "EvaluationService/EvaluateToolResult": "tool-result/untrusted",
  "EvaluationService/EvaluateRetrieval": "retrieval/chunks",
  "EvaluationService/EvaluateConversation": "conversation/split_key",
  "EvaluationService/EvaluateBatch": "batch/in-order",
  "EvaluationService/EvaluateSchema": "schema/invalid",
  "EvaluationService/ExplainEvaluation": "explain/reasons",
  "EvaluationService/RestorePlaceholders": "restore/same-session",
  "AdapterService/ApplyLiteLlmGuardrail": "litellm/intervened",
  "AdapterService/CreateModeration": "moderation/flagged",
};

const decisions = evaluateVectors.filter(({ vector }) => statusOf(vector) === 200);
/** What the engine decides by itself, without sessions and other contracts. */
const ofEngine = decisions.filter(
  ({ vector: { stage, before } }) =>
    before.length === 0 && (stage === "" || stage === "conversation" || stages[stage] !== undefined),
);

/** The suite tries some: what a live runtime answers below is its engine's answer, too. */
const alone = ofEngine.filter(({ name }) => isSampled(name, 0.25));

describe("on the engine alone", () => {
  it.each(alone)("$name: $vector.description", async ({ vector }) => {
    const engine = compileBundle(await bundleOf(vector));
    const first = evaluateAlone(engine, vector);
    check(vector, first);
    expect(evaluateAlone(engine, vector), "the same request has the same answer").toEqual(first);
  });
});

describe("on a live runtime", () => {
  let runtimes: EvaluateStages;

  beforeAll(async () => {
    runtimes = await startEvaluateStages();
  });

  afterAll(async () => {
    await runtimes.stop();
    reportSample({ n: tried + alone.length, failures: 0 });
  });

  let tried = 0;

  it.each(evaluateVectors)("$name: $vector.description", async ({ name, vector }) => {
    const stage = await runtimes.play(vector);
    const answers: TestAnswer[] = [];
    const wanted = vector.dialects.length === 0 ? dialectsOf(name) : (vector.dialects as Dialect[]);
    tried += wanted.length;
    for (const dialect of wanted) {
      for (const step of vector.before) await take(step, dialect, stage);
      const answer = await stage.caller.call(dialect, callOf(vector, stage));
      expect({ dialect, status: answer.status, error: answer.error }, JSON.stringify(answer.body)).toEqual({
        dialect,
        status: statusOf(vector),
        error: vector.want?.error,
      });
      check(vector, answer.body);
      const { method } = callOf(vector, stage);
      if (dialect === "rest" && exampleVectors[method] === name) {
        const played = { method, vector: name, request: requestJsonOf(vector), answer: answer.body };
        expect(compareWithExample(played, new Date())).toBeUndefined();
      }
      expect(answer.fields).toEqual(expect.arrayContaining(vector.want?.fields ?? []));
      answers.push(answer);
    }
    if (statusOf(vector) === 200) {
      const [first, ...others] = answers.map(({ body }) => withoutChance(body));
      for (const other of others) expect(other).toEqual(first);
    }
  });
});

describe("what is loaded", () => {
  const [first] = decisions;
  let live: EvaluateStage;

  beforeAll(async () => {
    live = await startEvaluateStage();
  });

  afterAll(() => live.stop());

  const loadedBundle = "EvaluationService/GetLoadedBundle";
  const listDetectors = "EvaluationService/ListLoadedDetectors";
  const twoDetectors = [
    "rules:",
    "  - {id: mail, stages: [input], detect: pii, action: FLAG}",
    "  - {id: word, stages: [input], detect: word, action: FLAG}",
    "detectors: {word: {use: keywords, keywords: [bluebird]}}",
  ];
  const ask = (dialect: Dialect, as = "", method = loadedBundle) =>
    live.caller.call(dialect, { method, request: {}, token: live.tokenOf(as) });

  it.each(dialects)("is told over %s, before the first bundle and after it", async (dialect) => {
    const none = { bundle: null, loaded_at: null, policies: [], confirmed_at: null, rejection: null };
    const fresh = await startEvaluateStage();
    const request = { method: loadedBundle, request: {}, token: fresh.tokenOf("") };
    expect((await fresh.caller.call(dialect, request)).body).toEqual(none);
    await fresh.stop();
    if (first === undefined) throw new Error("there are no decisions");
    await live.adopt(await bundleOf(first.vector));
    const { status, body } = await ask(dialect);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      bundle: { version: 1, stale: false },
      loaded_at: expect.stringMatching(/Z$/),
      policies: ["guard"],
      rejection: null,
    });
  });

  it.each(dialects)("lists its detectors over %s, none before the first bundle", async (dialect) => {
    const fresh = await startEvaluateStage();
    const token = fresh.tokenOf("");
    expect((await fresh.caller.call(dialect, { method: listDetectors, request: {}, token })).body).toEqual({
      ...{ total: 0, limit: 50, offset: 0 },
      detectors: [],
    });
    await fresh.stop();
    await live.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml: twoDetectors }] })));
    const { status, body } = await ask(dialect, "", listDetectors);
    expect(status).toBe(200);
    const second = { method: listDetectors, request: { limit: 1, offset: 1 }, token: live.tokenOf("") };
    expect((await live.caller.call(dialect, second)).body).toMatchObject({
      ...{ total: 2, limit: 1, offset: 1 },
      detectors: [{ name: "pii" }],
    });
    const none = { ...second, request: { limit: 0 } };
    expect(await live.caller.call(dialect, none)).toMatchObject({ status: 400, error: "invalid_parameter" });
    expect(body).toMatchObject({
      ...{ total: 2, limit: 50, offset: 0 },
      detectors: [
        {
          id: detectorCatalogIds.idOf("keywords"),
          name: "keywords",
          display_name: "Keywords",
          version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
          languages: ["*"],
        },
        {
          id: detectorCatalogIds.idOf("pii"),
          name: "pii",
          categories: expect.arrayContaining(["pii.email"]),
          languages: ["*"],
        },
      ],
    });
  });

  it.each([loadedBundle, listDetectors])("is not told by %s to who may not evaluate", async (method) => {
    for (const dialect of dialects) {
      expect(await ask(dialect, "anonymous", method)).toMatchObject({ status: 401, error: "unauthenticated" });
      expect(await ask(dialect, "ci", method)).toMatchObject({ status: 403, error: "insufficient_scope" });
      expect(await ask(dialect, "other_environment", method)).toMatchObject({
        status: 403,
        error: "insufficient_scope",
      });
    }
  });
});

/** Failures that need more than a runtime: test/api/evaluate/explain.test.ts and test/e2e/quota.test.ts show them. */
const elsewhere = new Set(["overloaded", "payment_required", "plan_limit_exceeded"]);

describe("the set of vectors", () => {
  it("has each failure that the methods declare", () => {
    const declared = new Set(routes.flatMap(({ method }) => methodFacts(method).fails));
    const shown = new Set(evaluateVectors.map(({ vector }) => vector.want?.error));
    expect([...declared].filter((error) => !shown.has(error) && !elsewhere.has(error))).toEqual([]);
  });

  it("calls every path and has every outcome", () => {
    const outcomes = decisions.map(({ vector }) => (wantedBody(vector) as JsonObject | undefined)?.outcome);
    expect(outcomes).toEqual(expect.arrayContaining(["ALLOW", "FLAG", "REDACT", "BLOCK"]));
    const called = new Set(decisions.map(({ vector }) => `/v1/evaluate/${vector.stage || "input"}`));
    const asked = routes.filter(({ verb }) => verb === "POST").map(({ path }) => path);
    expect(asked.filter((path) => !called.has(path) && !path.includes("/stream"))).toEqual([]);
  });
});

async function take(
  { stage, request, want }: EvaluateStep,
  dialect: Dialect,
  { caller, tokenOf }: EvaluateStage,
): Promise<void> {
  const method = callName(routeOf(stage).method);
  const { status, body } = await caller.call(dialect, {
    method,
    request: requestJsonOf({ request }),
    token: tokenOf(""),
  });
  expect(status, JSON.stringify(body)).toBe(200);
  if (want !== undefined) expect(mismatches(expanded(toJson(ValueSchema, want)), body)).toEqual([]);
}

/** REST and one of the two others, which have all but their framing in common; in an assurance run all three. */
function dialectsOf(name: string): readonly Dialect[] {
  if (isAssurance()) return dialects;
  return ["rest", shareOf(name) < 0.5 ? "connect" : "grpc"];
}

function check({ want }: EvaluateVector, body: JsonValue): void {
  if (want?.body !== undefined) {
    const found = mismatches(expanded(toJson(ValueSchema, want.body)), body);
    expect(found, found.join("\n")).toEqual([]);
  }
  for (const text of want?.absent ?? []) expect(JSON.stringify(body)).not.toContain(expanded(text));
}

function evaluateAlone(engine: ReturnType<typeof compileBundle>, vector: EvaluateVector): JsonValue {
  const route = routeOf(vector.stage);
  // The binder of this route makes this message.
  const request = rpcMessage(route, requestJsonOf(vector)) as EvaluateRequest;
  const evaluate = vector.stage === "schema" ? engine.evaluateSchema : engine.evaluate;
  const isTranscript = vector.stage === "conversation";
  const { response } = evaluate(request, {
    stage: isTranscript ? stageOfTranscript(request) : (stages[vector.stage || "input"] ?? Stage.UNSPECIFIED),
    isTranscript,
    now: new Date("2026-11-20T12:00:00Z"),
    evaluationId: request.evaluationId ?? "00000000-0000-4000-8000-000000000000",
    fingerprintKey: new Uint8Array(32).fill(7),
    bundle: create(BundleReferenceSchema, { version: 1, digest: `sha256:${"0".repeat(64)}`, activationSeq: 1 }),
    elapsedUs: () => 1,
  });
  return JSON.parse(String(createAnswerer(route)(response, new Headers()).body));
}

function callOf(vector: EvaluateVector, stage: EvaluateStage): TestCall {
  const { rawBody, headers, as } = vector;
  return {
    method: callName(routeOf(vector.stage).method),
    request: requestJsonOf(vector),
    token: stage.tokenOf(as),
    headers: { ...headers },
    rawBody: rawBody === undefined ? undefined : expanded(rawBody),
  };
}

function routeOf(stage: string) {
  const route = routes.find(({ path }) => path === `/v1/evaluate/${stage || "input"}`);
  if (route === undefined) throw new Error(`no route evaluates the stage ${stage}`);
  return route;
}

function statusOf({ want }: EvaluateVector): number {
  return want?.status || 200;
}

function wantedBody({ want }: EvaluateVector): JsonValue | undefined {
  return want?.body && toJson(ValueSchema, want.body);
}

/** The same request has the same answer but for ids and times. */
function withoutChance(body: JsonValue): JsonValue {
  if (Array.isArray(body)) return body.map(withoutChance);
  if (typeof body !== "object" || body === null) return body;
  const members = Object.entries(body).map(([key, value]): [string, JsonValue] => {
    if (key.endsWith("_us")) return [key, 0];
    return [key, key === "evaluation_id" || (key === "id" && isModeration(value)) ? "" : withoutChance(value)];
  });
  return Object.fromEntries(members);
}

function isModeration(id: JsonValue): boolean {
  return String(id).startsWith("modr-");
}
