// Checks the values of a pack's parameters against its JSON Schema, and adds its defaults.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import { didYouMean } from "../../policy/problem.ts";
import { addDecimalMultiples } from "../../schema/multiple-of.ts";
import { objectOf, type Pack, type PackParameterProblem, PackParametersInvalid } from "./pack.ts";

// Patterns in the schema run on the linear-time engine too, since values come from requests.
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // The validator caches patterns by their text.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: "linear" },
);

function validator(options: { useDefaults: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: true, code: { regExp: linear }, ...options });
  addDecimalMultiples(ajv);
  return ajv;
}

const compiled = new WeakMap<Pack, ValidateFunction>();
let checker: Ajv2020 | undefined;

/** The values of all parameters. Throws PackParametersInvalid when the given ones do not match the schema. */
export function completeParameters(pack: Pack, given: JsonObject): JsonObject {
  const validate = compiled.get(pack) ?? validator({ useDefaults: true }).compile(pack.parameters);
  compiled.set(pack, validate);
  const values = structuredClone(given);
  if (validate(values)) return values;
  const problems = (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== "if")
    .map((error) => problemOf(error, pack));
  throw new PackParametersInvalid(pack.metadata, problems);
}

/** Problems of the parameters' schema, by parameter: it does not compile, or a default does not match it. */
export function problemsOfSchema(schema: JsonObject): PackParameterProblem[] {
  // One shared validator: each instance compiles the meta-schema, which takes longer than validating any pack.
  checker ??= validator({ useDefaults: false });
  const ajv = checker;
  return Object.entries(objectOf(schema.properties)).flatMap(([path, property]) => {
    const own = objectOf(property);
    try {
      const validate = ajv.compile(own);
      const { default: usual, examples = [] } = own;
      const values = [usual ?? null, ...(Array.isArray(examples) ? examples : [])];
      const wrong = values.find((value) => !validate(value));
      return wrong === undefined
        ? []
        : [{ path, message: `${JSON.stringify(wrong)} does not fit: ${ajv.errorsText(validate.errors)}` }];
    } catch (error) {
      return [{ path, message: error instanceof Error ? error.message : String(error) }];
    } finally {
      ajv.removeSchema(own);
    }
  });
}

function problemOf(error: ErrorObject, pack: Pack): PackParameterProblem {
  const path = pathOf(error.instancePath);
  const params: JsonObject = { ...error.params };
  if (error.keyword === "additionalProperties") {
    const name = String(params.additionalProperty);
    const known = Object.keys(objectOf(pack.parameters.properties));
    const hint = didYouMean(name, known);
    const expected = known.length === 0 ? "the pack has none" : `expected one of ${known.join(", ")}`;
    return {
      path: `${path}.${name}`,
      message: `unknown parameter; ${expected}${hint === undefined ? "" : `; ${hint}`}`,
    };
  }
  if (error.keyword === "enum") {
    const allowed = (params.allowedValues as JsonValue[]).map((value) => JSON.stringify(value)).join(", ");
    return { path, message: `expected one of ${allowed}` };
  }
  return { path, message: error.message ?? error.keyword };
}

/** "/entities/0" as "parameters.entities[0]". */
function pathOf(pointer: string): string {
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce((path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`), "parameters");
}
