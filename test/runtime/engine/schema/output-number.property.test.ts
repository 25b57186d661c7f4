// Numbers that a model may write, however strange, against another reading of `multipleOf` and the library's own
// reading of the rest.

import type { JsonObject } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileOutputSchema, type OutputSchema } from "../../../../runtime/engine/schema/output-schema.ts";

const compiled = new Map<string, OutputSchema>();
function check(schema: JsonObject, output: string) {
  const key = JSON.stringify(schema);
  const own = compiled.get(key) ?? compileOutputSchema({ schemaId: "1", name: "n", version: 1, schema });
  compiled.set(key, own);
  return own.check(output);
}
const keywordsOf = (schema: JsonObject, output: string) => check(schema, output).map(({ keyword }) => keyword);
const tooLarge = [{ pointer: "", keyword: "json", message: "must not have numbers beyond the range of a double" }];

const digits = (max: number) =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: max })
    .map((all) => all.replace(/^0+(?=.)/, ""));
const written = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(digits(6), digits(30)),
    fc.option(fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 25 }), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "e-"), fc.nat(400)), { nil: undefined }),
  )
  .map(([sign, whole, fraction, power]) => {
    const behind = fraction === undefined ? "" : `.${fraction}`;
    return `${sign}${whole}${behind}${power === undefined ? "" : power.join("")}`;
  });
const divisor = fc.constantFrom(
  0.01,
  0.1,
  0.3,
  1,
  2,
  3,
  7,
  10,
  1e-8,
  1e21,
  123456789,
  9007199254740992,
  5e-324,
  1.5e300,
);

/** A number as a whole one of units of 10^-800. */
function scaled(text: string): bigint {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().replace("-", "").split(/e(.*)/s);
  const sign = /e-/i.test(text) ? -1 : 1;
  const [whole = "", fraction = ""] = mantissa.split(".");
  const power = sign * Number(exponent.replace(/[+-]/, "")) - fraction.length + 800;
  return BigInt(whole + fraction) * 10n ** BigInt(power);
}

describe("a number in an output", () => {
  it("is a multiple exactly when its decimal is, at every place of the output", () => {
    const seen = { true: 0, false: 0, refused: 0 };
    fc.assert(
      fc.property(written, divisor, fc.constantFrom("root", "item", "member"), (number, multipleOf, where) => {
        const [schema, output] = {
          root: [{ multipleOf }, number],
          item: [{ items: { $ref: "#/$defs/n" }, $defs: { n: { multipleOf } } }, `["1e1", ${number}]`],
          member: [{ properties: { "": { multipleOf } } }, `{"": ${number}}`],
        }[where] as [JsonObject, string];
        if (!Number.isFinite(Number(number))) {
          seen.refused++;
          expect(check(schema, output)).toEqual(tooLarge);
          return;
        }
        const isMultiple = scaled(number) % scaled(multipleOf.toExponential()) === 0n;
        seen[`${isMultiple}`]++;
        expect(keywordsOf(schema, output), `${number} of ${multipleOf}`).toEqual(isMultiple ? [] : ["multipleOf"]);
      }),
      { seed: 20261122, numRuns: 1500 },
    );
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(50);
  });

  it("satisfies what the library says that it satisfies", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
    const schemas: readonly JsonObject[] = [
      { type: "integer" },
      { type: ["string", "integer"] },
      { minimum: 0, maximum: 1e300 },
      { exclusiveMinimum: -1, exclusiveMaximum: 9007199254740992 },
      { enum: [0, 1, 1e21, "x"] },
      { const: 0 },
      { not: { type: "number" } },
      { anyOf: [{ type: "integer" }, { maximum: -5 }] },
      { type: "array", contains: { type: "integer" } },
    ];
    const validators = schemas.map((schema) => ({ schema, own: ajv.compile(schema) }));
    fc.assert(
      fc.property(written, fc.constantFrom(...validators), fc.boolean(), (number, { schema, own }, isInArray) => {
        const output = isInArray ? `[${number}, 0]` : number;
        if (!Number.isFinite(Number(number))) expect(check(schema, output)).toEqual(tooLarge);
        else
          expect(check(schema, output).length === 0, `${output} by ${JSON.stringify(schema)}`).toBe(
            own(JSON.parse(output)),
          );
      }),
      { seed: 20261122, numRuns: 1500 },
    );
  });

  it.each(["1e400", "-1e400", '[0, {"a": -1E+999}]', "9".repeat(400)])(
    "beyond the range of a double is a problem and no failure: %s",
    (output) => {
      for (const multipleOf of [0.1, 2]) expect(check({ multipleOf }, output)).toEqual(tooLarge);
      expect(check({}, output)).toEqual(tooLarge);
    },
  );

  it("costs no more the longer it is, beyond being read", () => {
    const long = `${"1".repeat(100_000)}`;
    expect(keywordsOf({ multipleOf: 3 }, `0.${long}`)).toEqual(["multipleOf"]);
    expect(keywordsOf({ multipleOf: 0.3 }, `1e-${"9".repeat(100_000)}`)).toEqual(["multipleOf"]);
    expect(keywordsOf({ multipleOf: 3 }, `0e${"9".repeat(100_000)}`)).toEqual([]);
    // Nested too deep for a reader that looks at each number.
    expect(check({}, `${"[".repeat(100_000)}1e5${"]".repeat(100_000)}`)[0]?.message).toContain("levels deep");
  });
});
