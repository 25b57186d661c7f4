// Runs every vector of the control plane over REST, Connect and gRPC: one truth, three dialects.

import { join } from "node:path";
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headerName, statusWhenTrue } from "../gateway/json/enum-names.ts";
import { isRaw, routesOf } from "../gateway/route/route.ts";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import type { Call, Want } from "../gen/policyguard/testing/v1/vector_pb.ts";
import { isAssurance, isSampled, reportSample, shareOf } from "../scripts/assurance/sample.ts";
import { controlServices } from "../src/control-services.ts";
import { reasonRules } from "../src/kit/fault/fault.ts";
import { methodFacts } from "../src/kit/rpc/options.ts";
import { createRunningClock } from "./harness/moved-clock.ts";
import { type DnsServer, startDnsServer } from "./harness/net/dns-server.ts";
import { unserved } from "./harness/net/served.ts";
import { startWebhookSink, type WebhookSink } from "./harness/net/webhook-sink.ts";
import { startTestControlPlane } from "./harness/process/control-plane.ts";
import { callName, type Dialect, dialects, type TestAnswer } from "./harness/vector/dialect.ts";
import { leaked, type StoredEntry, sensitiveTexts, unreadable, unsound } from "./harness/vector/evidence.ts";
import { filled, mismatches } from "./harness/vector/match.ts";
import { compareWithExample } from "./harness/vector/recorded-example.ts";
import { perform, type Scene, setScene } from "./harness/vector/scene.ts";
import type { Stage } from "./harness/vector/scene-step.ts";
import { type NamedVector, readVectors } from "./harness/vector/vector.ts";

const tokenKinds = [CredentialKind.RUNTIME, CredentialKind.CI, CredentialKind.ADMIN];

const vectors = readVectors(join(import.meta.dirname, "vectors", "control"));
/** Answers that carry JSON Schemas: their references would be taken for the document's own. */
const withSchemas = new Set(["EventService/ListEvents", "PolicyService/GetPolicySchema"]);
/**
 * The vectors of which the API's documentation shows request and answer, by name: of each method the first that names
 * every field.
 */
const exampleVectors = new Set(routesOf(controlServices).flatMap(({ method }) => exampleOf(method)?.name ?? []));

describe("vectors", () => {
  const clock = createRunningClock();
  let stage: Stage;
  /** On the same database, without registration, and nothing is sold. */
  let closed: Stage;
  let bare: Scene;
  let sink: WebhookSink;
  let dns: DnsServer;

  beforeAll(async () => {
    sink = await startWebhookSink();
    dns = await startDnsServer();
    dns.names.set("hooks.example.com", ["93.184.216.34"]).set("inside.example.com", ["10.1.2.3"]);
    dns.names.set("xn--lok-sed.example.com", ["93.184.216.34"]);
    const plane = await startTestControlPlane({
      clock,
      env: { POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8", POLICY_GUARD_DNS_SERVERS: dns.address },
      variables: { sink_url: sink.url },
    });
    stage = { plane, clock, dns };
    const env = { POLICY_GUARD_REGISTRATION: "invite_only", STUB_BILLING: "off" };
    closed = { plane: await startTestControlPlane({ clock, env, urls: plane.urls }), clock, dns };
    bare = await setScene(stage, { given: [] });
  });

  let tried = 0;

  afterAll(async () => {
    await closed.plane.stop();
    await stage.plane.stop();
    await Promise.all([sink.close(), dns.close()]);
    // One that failed ends the run with an error, which counts as a failure.
    reportSample({ n: tried, failures: 0 });
  });

  describe.each(vectors.filter(isTried))("$name", ({ name, vector }) => {
    const wanted = vector.dialects.length === 0 ? dialectsOf({ name, vector }) : (vector.dialects as Dialect[]);
    let refused: Promise<Scene> | undefined;

    // Refusals change nothing, as is checked here; so all of those that need nothing share an organization, and the
    // dialects of one share what it needs. Only a try to sign in counts as one.
    function sceneOf(status: number): Promise<Scene> {
      if (status < 400 || signsIn(vector.call?.method)) return setScene(stage, vector);
      if (vector.given.length === 0) return Promise.resolve(bare);
      refused ??= setScene(stage, vector);
      return refused;
    }

    it.each(wanted)(`${vector.description} (%s)`, async (dialect) => {
      tried += 1;
      const { call, want } = vector;
      if (call === undefined || want === undefined) throw new Error("a vector has a call and a want");
      const scene = await sceneOf(want.status);
      const before = await stage.plane.recorded(scene.world.orgId);
      const place = vector.installation === "" ? stage : closed;
      const answer = await perform(place, dialect, call, scene);
      check(want, answer, scene.variables, dialect);
      const request = filled((call.request ?? {}) as JsonObject, scene.variables); // a request is an object
      if (dialect === "rest" && exampleVectors.has(name)) {
        const played = { method: call.method, vector: name, request, answer: answer.body };
        expect(compareWithExample(played, stage.clock.now())).toBeUndefined();
      }
      const after = await stage.plane.recorded(scene.world.orgId);
      // Events of one transaction have no order among themselves.
      expect(after.events.slice(before.events.length).sort(), "events").toEqual(want.events.toSorted());
      const actions = after.actions.slice(before.actions.length);
      // What is found out for gates is noted by the service itself, whatever becomes of the call that asked.
      expect(
        actions.filter((action) => action !== "gate.result"),
        "audit",
      ).toEqual(auditOf(call, want));
      checkEvidence(call, request, answer, { scene, entries: after.entries.slice(before.entries.length) });
    });
  });
});

/** Refusals that follow from a method's access options alone. */
const refusalsOfAccess = new Set(["unauthenticated", "insufficient_scope", "no_access_to_organization"]);

/**
 * What the suite tries: of refusals by access only some, since the access matrix makes the same call of every method;
 * and of limits that take a hundred calls to reach only some.
 */
function isTried({ name, vector: { want, given } }: NamedVector): boolean {
  const isOfMatrix = refusalsOfAccess.has(want?.error ?? "");
  const isLong = given.some(({ call }) => call?.method === "$repeat" && Number(Object(call.request).times) >= 50);
  return isOfMatrix || isLong ? isSampled(name, 0.25) : true;
}

/**
 * Always the same one of a vector: REST for three in five, for examples, and wherever headers are wanted, which only
 * REST has; Connect and gRPC, which have all but their framing in common, for one in five each. `npm run assurance --
 * vectors` takes every one.
 */
function dialectsOf({ name, vector }: NamedVector): readonly Dialect[] {
  if (isAssurance()) return dialects;
  const share = shareOf(name);
  const isRest = exampleVectors.has(name) || Object.keys(vector.want?.headers ?? {}).length > 0;
  if (isRest || share < 0.6) return ["rest"];
  return [share < 0.8 ? "connect" : "grpc"];
}

/** Each entry opens, shows what the call has changed, and has no secret of the call or of the scene in it. */
function checkEvidence(
  call: Call,
  request: JsonObject,
  answer: TestAnswer,
  { scene, entries }: { readonly scene: Scene; readonly entries: readonly StoredEntry[] },
): void {
  const route = routesOf(controlServices).find(({ method }) => callName(method) === call.method);
  if (entries.length === 0 || route === undefined) return;
  const { method, responseBody } = route;
  const answered = responseBody === undefined ? method.output : responseBody.message;
  const secrets = [
    ...Object.values(scene.world.tokens).filter((token) => token !== undefined),
    ...sensitiveTexts(method.input, request),
    ...(answered === undefined ? [] : sensitiveTexts(answered, answer.body)),
  ];
  for (const entry of entries) {
    expect(unsound(entry), entry.leaf).toEqual([]);
    expect(unreadable(method, request, entry), "what the entry does not show").toEqual([]);
    expect(leaked(entry, secrets), "secrets in the entry").toEqual([]);
  }
}

/** The vector that is the method's example; undefined for answers that are no JSON. */
function exampleOf(method: DescMethod): NamedVector | undefined {
  if (method.methodKind !== "unary" || isRaw(method.output) || unserved.has(callName(method))) return undefined;
  if (withSchemas.has(callName(method))) return undefined;
  const { successStatus } = methodFacts(method);
  const successes = vectors.filter(
    ({ vector: { call, want, dialects: wanted } }) =>
      call?.method === callName(method) &&
      call.rawBody === undefined &&
      want?.status === successStatus &&
      (wanted.length === 0 || wanted.includes("rest")),
  );
  const namesAll = ({ vector: { want } }: NamedVector) =>
    want?.body !== undefined && unnamedFields(method, toJson(ValueSchema, want.body)).length === 0;
  return successes.find(namesAll) ?? successes[0];
}

function signsIn(name: string | undefined): boolean {
  const method = controlServices.flatMap((service) => service.methods).find((one) => callName(one) === name);
  if (method === undefined) return true;
  const { access } = methodFacts(method);
  return access.public || access.account;
}

describe("the set of vectors", () => {
  const methods = controlServices
    .flatMap((service) => service.methods)
    .filter((method) => method.methodKind === "unary" && !unserved.has(callName(method)));
  const named = methods.map((method) => [callName(method), method] as const);
  const wantsOf = (name: string) =>
    vectors.flatMap(({ vector }) => (vector.call?.method === name ? (vector.want ?? []) : []));

  it.each(named)("%s has one for its success, which names every field of the answer", (name, method) => {
    const { successStatus } = methodFacts(method);
    const successes = wantsOf(name).filter(({ status }) => status === successStatus);
    expect(successes, "vectors of success").not.toEqual([]);
    const bodies = successes.flatMap(({ body }) => (body === undefined ? [] : [toJson(ValueSchema, body)]));
    if (successStatus !== 204) expect(bodies.map((body) => unnamedFields(method, body))).toContainEqual([]);
  });

  it.each(named)("%s has one for each failure of its own", (name, method) => {
    const errors = wantsOf(name).map(({ error }) => error);
    expect(errors).toEqual(expect.arrayContaining([...methodFacts(method).fails]));
  });

  it.each(named)("%s has one for each refusal that its access allows", (name, method) => {
    const { access } = methodFacts(method);
    if (access.public) return;
    const errors = wantsOf(name).map(({ error }) => error);
    expect(errors).toContain("unauthenticated");
    if (access.orgField !== "") expect(errors).toContain("no_access_to_organization");
    if (tokenKinds.some((kind) => !access.kinds.includes(kind))) expect(errors).toContain("insufficient_scope");
  });

  it("has one in which each method raises each event that it says it may, and none in which it raises another", () => {
    const wrong = named.flatMap(([name, method]) => {
      const raised = new Set(wantsOf(name).flatMap(({ events }) => events));
      const { emits } = methodFacts(method);
      const silent = emits.filter((event) => !raised.has(event)).map((event) => `${name} never raises ${event}`);
      const unsaid = [...raised].filter((event) => !emits.includes(event)).map((event) => `${name} raises ${event}`);
      return [...silent, ...unsaid];
    });
    expect(wrong).toEqual([]);
  });

  it("names only failures of the catalogue", () => {
    const known = new Set(["", ...reasonRules().map((rule) => rule.error)]);
    expect(vectors.filter(({ vector }) => !known.has(vector.want?.error ?? ""))).toEqual([]);
  });

  it("names each file after its room, its method's noun, its status and its case", () => {
    const misnamed = vectors.filter(({ name, vector }: NamedVector) => {
      const status = vector.want?.status;
      return !new RegExp(`^[a-z-]+/[a-z-]+/[a-z0-9-]+_${status}_[a-z0-9-]+$`).test(name);
    });
    expect(misnamed.map(({ name }) => name)).toEqual([]);
  });
});

function check(want: Want, answer: TestAnswer, variables: Readonly<Record<string, unknown>>, dialect: Dialect): void {
  expect({ status: answer.status, error: answer.error }, JSON.stringify(answer.body)).toEqual({
    status: want.status,
    error: want.error,
  });
  if (want.body !== undefined) {
    const found = mismatches(filled(toJson(ValueSchema, want.body), variables), answer.body);
    expect(found, found.join("\n")).toEqual([]);
  }
  expect(answer.fields).toEqual(expect.arrayContaining(want.fields));
  if (dialect !== "rest") return;
  for (const [name, pattern] of Object.entries(want.headers)) {
    expect(answer.headers.get(name) ?? "", `header ${name}`).toMatch(new RegExp(pattern));
  }
}

/** Fields that the answer may have and the body does not name, in messages and in items of lists. */
function unnamedFields(method: DescMethod, body: JsonValue): string[] {
  const route = routesOf(controlServices).find((candidate) => candidate.method === method);
  const field = route?.responseBody;
  if (field?.fieldKind === "list") return unnamedIn(field, Array.isArray(body) ? body[0] : undefined, field.name);
  // A struct names its members itself.
  if (field?.message?.typeName === "google.protobuf.Struct") return [];
  return unnamedMembers(field?.message ?? method.output, body, "");
}

function unnamedMembers(message: DescMessage, body: JsonValue | undefined, path: string): string[] {
  const members = (typeof body === "object" && !Array.isArray(body) ? body : null) ?? {};
  const inBody = message.fields.filter((field) => headerName(field) === "" && statusWhenTrue(field) === 0);
  return inBody.flatMap((field) => {
    const value = members[field.name];
    const at = `${path}${field.name}`;
    if (value === undefined) return [at];
    if (field.fieldKind === "list") return unnamedIn(field, Array.isArray(value) ? value[0] : undefined, at);
    if (field.fieldKind === "map")
      return unnamedIn(field, Object.values(Object(value))[0] as JsonValue | undefined, at);
    const isOwn = field.message?.typeName.startsWith("policyguard.") === true;
    return isOwn && value !== null ? unnamedMembers(field.message, value, `${at}.`) : [];
  });
}

// An empty list or map names all that there is.
function unnamedIn(field: DescField, item: JsonValue | undefined, path: string): string[] {
  if (item === undefined || field.message === undefined) return [];
  return unnamedMembers(field.message, item, `${path}[0].`);
}

/**
 * A successful call of a method with an audit action leaves one entry; any other call, and one that settles nothing
 * yet, none.
 */
function auditOf(call: Call, want: Want): string[] {
  const answer = Object(want.body === undefined ? undefined : toJson(ValueSchema, want.body));
  const settlesNothing = call.request?.dry_run === true || answer.mfa_required === true;
  if (want.status >= 300 || settlesNothing) return [];
  const method = controlServices
    .flatMap((service) => service.methods)
    .find((candidate) => callName(candidate) === call.method);
  const action = method === undefined ? "" : methodFacts(method).audit;
  // Going past a gate has an entry of its own, before that of the call.
  const isOverride = call.request?.override !== undefined;
  return action === "" ? [] : [...(isOverride ? ["gate.override"] : []), action];
}
