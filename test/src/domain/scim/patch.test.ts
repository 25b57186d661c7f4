// Random PATCH programs against a model: a second interpreter, of maps with keys that nobody else knows, which says
// what a program of simple operations leaves behind. And whatever a program is made of, the prototype of objects stays.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { patched, readOperations } from "../../../../src/domain/scim/patch.ts";
import { userShape } from "../../../../src/domain/scim/schema.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";

/** One operation in the model's own terms. */
type Step =
  | { readonly kind: "text"; readonly name: "title" | "nickName" | "displayName"; readonly value: string | null }
  | { readonly kind: "part"; readonly name: "givenName" | "familyName"; readonly value: string | null }
  | { readonly kind: "address"; readonly type: "work" | "home" | "other"; readonly value: string }
  | { readonly kind: "noAddress"; readonly type: "work" | "home" | "other" }
  | { readonly kind: "bad"; readonly path: string };

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const type = fc.constantFrom("work" as const, "home" as const, "other" as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("text" as const),
    name: fc.constantFrom("title" as const, "nickName" as const, "displayName" as const),
    value: fc.option(word),
  }),
  fc.record({
    kind: fc.constant("part" as const),
    name: fc.constantFrom("givenName" as const, "familyName" as const),
    value: fc.option(word),
  }),
  fc.record({ kind: fc.constant("address" as const), type, value: word }),
  fc.record({ kind: fc.constant("noAddress" as const), type }),
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("bad" as const),
      path: fc.constantFrom("__proto__.x", "constructor.prototype.x", "id", "meta.version", "emails[", "no.such"),
    }),
  },
);

/** The model: texts, parts of the name, and addresses by their type; undefined when a step cannot be carried out. */
function modelOf(steps: readonly Step[]) {
  const texts = new Map<string, string>();
  const parts = new Map<string, string>();
  const addresses = new Map<string, string>();
  for (const each of steps) {
    if (each.kind === "bad") return undefined;
    if (each.kind === "noAddress") {
      if (!addresses.delete(each.type)) return undefined;
    } else if (each.kind === "address") addresses.set(each.type, each.value);
    else {
      const map = each.kind === "text" ? texts : parts;
      if (each.value === null) map.delete(each.name);
      else map.set(each.name, each.value);
    }
  }
  return { texts, parts, addresses };
}

/** The step in one of the forms that providers use. */
function written(each: Step, form: number): JsonObject {
  const op = ["add", "Replace", "replace", "ADD"][form % 4] ?? "add";
  switch (each.kind) {
    case "bad":
      return { op, path: each.path, value: "1" };
    case "noAddress":
      return { op: "Remove", path: `emails[type eq "${each.type}"]` };
    case "address":
      return { op, path: `emails[type eq "${each.type}"].value`, value: each.value };
    default: {
      const path = each.kind === "text" ? each.name : `name.${each.name}`;
      const urn = `urn:ietf:params:scim:schemas:core:2.0:User:${path}`;
      if (each.value === null)
        return form % 2 === 0 ? { op: "remove", path } : { op: "replace", path: urn, value: null };
      return form % 3 === 0
        ? { op, value: { [path.toUpperCase()]: each.value } }
        : { op, path: urn, value: each.value };
    }
  }
}

const { n, seed } = sampleOf({ n: 1_000, seed: 19 });

test("random PATCH programs leave what the model says, or nothing", () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const start: JsonObject = { userName: "ada@example.com", active: true };
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.nat(11)), { minLength: 1, maxLength: 30 }), (program) => {
      const operations = program.map(([each, form]) => written(each, form));
      const model = modelOf(program.map(([each]) => each));
      const run = () => patched(userShape, start, readOperations({ Operations: operations }), { id: "u" });
      if (model === undefined) {
        expect(run).toThrow(Fault);
      } else {
        const { name, emails, userName, active, ...texts } = run();
        expect({ userName, active }).toEqual(start);
        expect(texts).toEqual(Object.fromEntries(model.texts));
        expect(name ?? {}).toEqual(Object.fromEntries(model.parts));
        const found = (emails ?? []) as JsonValue as { type: string; value: string }[]; // as the program wrote them
        expect(new Map(found.map((item) => [item.type, item.value]))).toEqual(model.addresses);
        expect(found).toHaveLength(model.addresses.size);
      }
      expect(start).toEqual({ userName: "ada@example.com", active: true });
    }),
    { numRuns: n, seed },
  );
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  reportSample({ n, failures: 0 });
});
