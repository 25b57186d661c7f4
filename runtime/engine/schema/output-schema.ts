// Output schemas: JSON Schema 2020-12 that structured outputs of a model are validated against. The schema comes from a
// user and the output from a model, so the cost of both is bounded: a schema refers only to itself, its patterns run on
// a linear-time engine, and each application of a subschema to a value takes a step of a budget.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { compileTest } from "../pattern/compile-pattern.ts";
import { maxPatternLength, programLimits } from "../pattern/pattern-facts.ts";
import { depthOf } from "../segment/argument.ts";
import { hasDuplicateKey } from "./duplicate-key.ts";
import { addDecimalMultiples } from "./multiple-of.ts";
import { canonicalText, measuredSchema, stepKeyword } from "./schema-source.ts";
import { type ReadJson, readJson, type WrittenNumbers } from "./written-number.ts";

/** A schema of a bundle. */
export interface SchemaSource {
  readonly schemaId: string;
  readonly name: string;
  readonly version: number;
  readonly schema: JsonObject;
}

/** One way in which an output violates its schema. It names positions and rules, never values. */
export interface OutputProblem {
  /** JSON pointer. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

/** A compiled schema. */
export interface OutputSchema {
  readonly name: string;
  readonly version: number;
  /**
   * The problems of an output, given as text; empty when it satisfies the schema. An output that could not be checked
   * in time has a problem.
   */
  readonly check: (text: string, isOver?: () => boolean) => readonly OutputProblem[];
}

/** A schema that cannot be used. The message is for its author. */
export class SchemaInvalid extends Error {
  override readonly name = "SchemaInvalid";
}

/** Maximum nesting depth of an output. */
const maxOutputDepth = 64;
/** Maximum cost of one output: applications of a subschema to a value, weighted by the size of the subschema. */
const maxSteps = 300_000;
const maxProblems = 32;

/** Steps between two reads of the clock. An output that takes fewer is always checked to the end. */
const stepsPerLook = 20_000;

class OutOfSteps extends Error {}
class OutOfTime extends Error {}

/** The remaining budget for one output, and its numbers that a double cannot hold. */
class Budget {
  #left = 0;
  #untilLook = stepsPerLook;
  #isOver: (() => boolean) | undefined;
  written: WrittenNumbers = new Map();

  refill(written: WrittenNumbers = new Map(), isOver?: () => boolean): void {
    this.#left = maxSteps;
    this.#untilLook = stepsPerLook;
    this.#isOver = isOver;
    this.written = written;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OutOfSteps();
    this.#untilLook -= steps;
    if (this.#untilLook > 0) return;
    this.#untilLook = stepsPerLook;
    if (this.#isOver?.() === true) throw new OutOfTime();
  }
}

/** Compiles a schema. Throws SchemaInvalid. */
export function compileOutputSchema({ name, version, schema }: SchemaSource): OutputSchema {
  const budget = new Budget();
  const validate = compile(schema, budget);
  return {
    name,
    version,
    check: (text, isOver) => problemsOf(text, { validate, budget, isOver }),
  };
}

/**
 * Checks a schema before it is stored. Throws SchemaInvalid, also for patterns that are too large; in a schema that is
 * stored already, such patterns make outputs exceed their budget instead.
 */
export function assertNewOutputSchema({ schema }: SchemaSource): void {
  compile(schema, new Budget(), newPatterns());
}

function compile(schema: JsonObject, budget: Budget, compilePattern = compileTest): ValidateFunction {
  const measured = measuredSchema(schema, (message) => new SchemaInvalid(message));
  try {
    holdAgainstStandard(measured);
    // The schema was just checked; compiling the meta-schema again would cost more than everything else here.
    return validator(budget, { meta: false, validateSchema: false }, compilePattern).compile(measured);
  } catch (error) {
    if (error instanceof SchemaInvalid) throw error;
    throw new SchemaInvalid(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

let standard: { readonly ajv: Ajv2020; readonly budget: Budget } | undefined;

/** Validates a schema against the meta-schema, which is compiled once. Throws when it is not valid. */
function holdAgainstStandard(schema: JsonObject): void {
  if (standard === undefined) {
    const budget = new Budget();
    standard = { ajv: validator(budget, {}), budget };
  }
  standard.budget.refill();
  standard.ajv.validateSchema(schema, true);
}

function validator(budget: Budget, options: Options, compilePattern = compileTest): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    // With early exit, a subschema could fail before its step is counted.
    allErrors: true,
    // By default the standard treats formats as annotations.
    validateFormats: false,
    logger: false,
    ownProperties: true,
    // Inlined references that double at each level would generate unbounded code.
    inlineRefs: false,
    code: { regExp: linearRegExp(budget, compilePattern) },
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
  addDecimalMultiples(ajv, () => budget.written);
  // The library compares every two items, which is quadratic.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isWanted: boolean, items: readonly JsonValue[]) => !isWanted || areDistinct(items, budget),
    error: { message: "must NOT have duplicate items" },
  });
}

/** Characters that one step pays for in a linear pass. */
const unitsPerStep = 32;

/** Characters times instructions that one step pays for when the pattern's automaton gives up. */
const instructionsPerStep = 100;

// Compiles the patterns of a new schema, with the same size limits as the patterns of a policy.
function newPatterns(): typeof compileTest {
  let together = 0;
  return (source) => {
    if (source.length > maxPatternLength) {
      throw new SchemaInvalid(
        `it has a pattern of ${source.length} characters; at most ${maxPatternLength} are allowed`,
      );
    }
    const engine = compileTest(source);
    together += engine.programSize();
    const [size, limit, what] =
      engine.programSize() > programLimits.pattern
        ? [engine.programSize(), programLimits.pattern, `its pattern ${source.slice(0, 64)} compiles`]
        : [together, programLimits.together, "its patterns together compile"];
    if (size <= limit) return engine;
    const [has, allowed] = [size, limit].map((number) => number.toLocaleString("en"));
    throw new SchemaInvalid(`${what} to ${has} instructions, and ${allowed} are allowed: repeat less`);
  };
}

// Replaces the RegExp of the library. The library distinguishes patterns by their text, and asks for the source of
// generated modules, which are not used here.
function linearRegExp(budget: Budget, compilePattern: typeof compileTest) {
  const create = (source: string) => {
    const engine = compilePattern(source);
    const stepsPerUnit = Math.max(1 / unitsPerStep, engine.programSize() / instructionsPerStep);
    return {
      test: (text: string) => {
        budget.spend(1 + text.length * stepsPerUnit);
        return engine.test(text);
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

/** The tools for checking an output. */
interface Checking {
  readonly validate: ValidateFunction;
  readonly budget: Budget;
  readonly isOver: (() => boolean) | undefined;
}

function problemsOf(text: string, { validate, budget, isOver }: Checking): OutputProblem[] {
  let read: ReadJson;
  try {
    read = readJson(text);
  } catch {
    return [{ pointer: "", keyword: "json", message: "must be JSON" }];
  }
  const { value, written, hasInfinite } = read;
  budget.refill(written, isOver);
  // A reader that uses doubles would get infinity.
  if (hasInfinite) {
    return [{ pointer: "", keyword: "json", message: "must not have numbers beyond the range of a double" }];
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
    if (error instanceof OutOfTime)
      return [{ pointer: "", keyword: "timeout", message: "must be checked within the time of the evaluation" }];
    // A reference that returns to itself without descending into the output exhausts the stack before the steps.
    if (!(error instanceof OutOfSteps || error instanceof RangeError)) throw error;
    return [{ pointer: "", keyword: "cost", message: `must not take more than ${maxSteps} steps to check` }];
  }
}

function problemOf({ instancePath, keyword, message = "" }: ErrorObject): OutputProblem {
  return { pointer: instancePath, keyword, message };
}
