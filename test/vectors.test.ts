// Runs every vector of the control plane over REST, Connect and gRPC: one truth, three dialects.

import { join } from "node:path";
import { toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routesOf } from "../gateway/route.ts";
import type { Call, Want } from "../gen/policyguard/testing/v1/vector_pb.ts";
import { controlServices } from "../src/control-plane.ts";
import { reasonRules } from "../src/kit/error.ts";
import { methodFacts } from "../src/kit/options.ts";
import { startTestControlPlane } from "./harness/control-plane.ts";
import { type Dialect, dialects, type TestAnswer } from "./harness/dialect.ts";
import { filled, mismatches } from "./harness/match.ts";
import { createRunningClock } from "./harness/moved-clock.ts";
import { perform, type Scene, type Stage, setScene } from "./harness/scene.ts";
import { type NamedVector, readVectors } from "./harness/vector.ts";

const vectors = readVectors(join(import.meta.dirname, "vectors", "control"));

describe("vectors", () => {
  const clock = createRunningClock();
  let stage: Stage;
  let bare: Scene;

  beforeAll(async () => {
    stage = { plane: await startTestControlPlane({ clock }), clock };
    bare = await setScene(stage, { given: [] });
  });

  afterAll(() => stage.plane.stop());

  describe.each(vectors)("$name", ({ vector }) => {
    const wanted = vector.dialects.length === 0 ? dialects : (vector.dialects as Dialect[]);

    it.each(wanted)(`${vector.description} (%s)`, async (dialect) => {
      const { call, want } = vector;
      if (call === undefined || want === undefined) throw new Error("a vector has a call and a want");
      // Refusals change nothing, as is checked here; so those that need nothing share an organization.
      const isShared = want.status >= 400 && vector.given.length === 0;
      const scene = isShared ? bare : await setScene(stage, vector);
      const before = await stage.plane.recorded(scene.world.orgId);
      const answer = await perform(stage, dialect, call, scene);
      check(want, answer, scene.variables, dialect);
      const after = await stage.plane.recorded(scene.world.orgId);
      // Events of one transaction have no order among themselves.
      expect(after.events.slice(before.events.length).sort(), "events").toEqual(want.events.toSorted());
      expect(after.actions.slice(before.actions.length), "audit").toEqual(auditOf(call, want));
    });
  });
});

describe("the set of vectors", () => {
  const methods = routesOf(controlServices)
    .filter(({ method }) => method.methodKind === "unary")
    .map(({ method }) => method);

  it.each(methods.map((method) => [`${method.parent.name}/${method.name}`, method] as const))(
    "%s has one for its success and for each of its own failures",
    (name, method) => {
      const own = vectors.filter(({ vector }) => vector.call?.method === name).map(({ vector }) => vector.want);
      const { successStatus, fails } = methodFacts(method);
      expect(own.map((want) => want?.status)).toContain(successStatus);
      expect(own.map((want) => want?.error)).toEqual(expect.arrayContaining([...fails]));
    },
  );

  it("names only failures of the catalogue", () => {
    const known = new Set(["", ...reasonRules().map((rule) => rule.error)]);
    expect(vectors.filter(({ vector }) => !known.has(vector.want?.error ?? ""))).toEqual([]);
  });

  it("names each file after its method's noun, its status and its case", () => {
    const misnamed = vectors.filter(({ name, vector }: NamedVector) => {
      const status = vector.want?.status;
      return !new RegExp(`^[a-z-]+/[a-z0-9-]+_${status}_[a-z0-9-]+$`).test(name);
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
    expect(mismatches(filled(toJson(ValueSchema, want.body), variables), answer.body)).toEqual([]);
  }
  expect(answer.fields).toEqual(expect.arrayContaining(want.fields));
  if (dialect !== "rest") return;
  for (const [name, pattern] of Object.entries(want.headers)) {
    expect(answer.headers.get(name) ?? "", `header ${name}`).toMatch(new RegExp(pattern));
  }
}

/** A successful call of a method with an audit action leaves one entry; any other call none. */
function auditOf(call: Call, want: Want): string[] {
  if (want.status >= 300) return [];
  const route = routesOf(controlServices).find(({ method }) => `${method.parent.name}/${method.name}` === call.method);
  const action = route === undefined ? "" : methodFacts(route.method).audit;
  return action === "" ? [] : [action];
}
