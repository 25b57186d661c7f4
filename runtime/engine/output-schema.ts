// Output schemas: JSON Schema 2020-12 that structured outputs of a model are held against. A schema comes from a user and an
// output from a model, so neither may cost more than a bound: a schema refers to itself only, its patterns run on a
// linear-time engine, and each application of one of its parts to a value is a step of a budget.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { depthOf } from "./argument.ts";
import { hasDuplicateKey } from "./duplicate-key.ts";
import { addDecimalMultiples } from "./multiple-of.ts";
import { compilePattern } from "./regex.ts";
import { canonicalText, maxSchemaBytes, measuredSchema, stepKeyword } from "./schema-source.ts";

/** A schema of a bundle. */
export interface SchemaSource {
  readonly schemaId: string;
  readonly name: string;
  readonly version: number;
  readonly schema: JsonObject;
}

/** One way in which an output fails its schema. It names places and rules, never values. */
export interface OutputProblem {
  /** JSON pointer. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

/** A schema ready to be used. */
export interface OutputSchema {
  readonly name: string;
  readonly version: number;
  /** What is wrong with an output, given as text; empty when it satisfies the schema. */
  readonly check: (text: string) => readonly OutputProblem[];
}

/** A schema that cannot be used. The message is for its author. */
export class SchemaInvalid extends Error {
  override readonly name = "SchemaInvalid";
}

/** Deepest nesting of an output. */
export const maxOutputDepth = 64;
/** What one output may cost: applications of a part of the schema to a value, weighed by the size of the part. */
const maxSteps = 300_000;
const maxProblems = 32;

class OutOfSteps extends Error {}

/** What is left for one output. */
class Budget {
  #left = 0;

  refill(): void {
    this.#left = maxSteps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OutOfSteps();
  }
}

/** Compiles a schema. Throws SchemaInvalid. */
export function compileOutputSchema({ name, version, schema }: SchemaSource): OutputSchema {
  const budget = new Budget();
  const validate = compile(schema, budget);
  return {
    name,
    version,
    check: (text) => {
      budget.refill();
      return problemsOf(text, validate);
    },
  };
}

function compile(schema: JsonObject, budget: Budget): ValidateFunction {
  const measured = measuredSchema(schema, (message) => new SchemaInvalid(message));
  try {
    holdAgainstStandard(measured);
    // It was just checked; compiling the schema of schemas once more would cost more than everything else here.
    return validator(budget, { meta: false, validateSchema: false }).compile(measured);
  } catch (error) {
    if (error instanceof SchemaInvalid) throw error;
    throw new SchemaInvalid(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

let standard: { readonly ajv: Ajv2020; readonly budget: Budget } | undefined;

/** Holds a schema against the schema of schemas, which is compiled once. Throws when it does not fit. */
function holdAgainstStandard(schema: JsonObject): void {
  if (standard === undefined) {
    const budget = new Budget();
    standard = { ajv: validator(budget, {}), budget };
  }
  standard.budget.refill();
  standard.ajv.validateSchema(schema, true);
}

function validator(budget: Budget, options: Options): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    // Without it, what fails early is left before its step is counted.
    allErrors: true,
    // Formats are what the standard makes of them when nothing else is said: annotations.
    validateFormats: false,
    logger: false,
    ownProperties: true,
    // Put in place, references that double at each level would make code without bound.
    inlineRefs: false,
    code: { regExp: linearRegExp(budget) },
    ...options,
  });
  addKeywords(ajv, budget);
  return ajv;
}

function addKeywords(ajv: Ajv2020, budget: Budget): void {
  ajv.addKeyword({
    keyword: stepKeyword,
    schemaType: "number",
    validate: (steps: number) => {
      budget.spend(steps);
      return true;
    },
  });
  addDecimalMultiples(ajv);
  // The library compares every two items.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isWanted: boolean, items: readonly JsonValue[]) => !isWanted || areDistinct(items, budget),
    error: { message: "must NOT have duplicate items" },
  });
}

/** Characters that a linear pass may look at for one step. */
const unitsPerStep = 32;

// What a pattern of the schema becomes. The library tells patterns apart by their text, and asks for the source of generated
// modules, of which there are none here.
function linearRegExp(budget: Budget) {
  const create = (source: string) => {
    const pattern = compilePattern(source);
    return {
      test: (text: string) => {
        budget.spend(1 + text.length / unitsPerStep);
        return pattern.engine.matcher(text).find();
      },
      toString: () => `/${source}/`,
    };
  };
  return Object.assign(create, { code: "linear" });
}

function areDistinct(items: readonly JsonValue[], budget: Budget): boolean {
  const texts = items.map((item) => {
    const text = canonicalText(item);
    budget.spend(1 + text.length / unitsPerStep);
    return text;
  });
  return new Set(texts).size === items.length;
}

function problemsOf(text: string, validate: ValidateFunction): OutputProblem[] {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return [{ pointer: "", keyword: "json", message: "must be JSON" }];
  }
  if (depthOf(value, maxOutputDepth) > maxOutputDepth) {
    return [{ pointer: "", keyword: "json", message: `must be nested at most ${maxOutputDepth} levels deep` }];
  }
  if (hasDuplicateKey(text, value)) {
    return [{ pointer: "", keyword: "json", message: "must not have a key twice in one object" }];
  }
  try {
    return validate(value) ? [] : (validate.errors ?? []).slice(0, maxProblems).map(problemOf);
  } catch (error) {
    // A reference that comes back to itself without going deeper into the output ends the stack before the steps.
    if (!(error instanceof OutOfSteps || error instanceof RangeError)) throw error;
    return [{ pointer: "", keyword: "cost", message: `must not take more than ${maxSteps} steps to check` }];
  }
}

function problemOf({ instancePath, keyword, message = "" }: ErrorObject): OutputProblem {
  return { pointer: instancePath, keyword, message };
}

/** Largest schema, as JSON, in bytes. */
export const outputSchemaLimits = { maxSchemaBytes, maxOutputDepth } as const;
