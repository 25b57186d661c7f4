// Conditions: CEL expressions, type-checked against facts.ts and evaluated by @marcbachmann/cel-js. The library's own
// `matches` uses a backtracking RegExp. Ours takes a literal pattern that the linear-time RE2JS compiles here; every
// call is redirected to it in the syntax tree, and the self-test at the end of this file refuses to load the module if
// one is not.

import {
  type ASTNode,
  TypeError as CelTypeError,
  Environment,
  EvaluationError,
  ParseError,
} from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import { emptyLedger } from "../segment/session.ts";
import { ConditionFailed, ConditionTime, guardRepeated, guardSum, observeValues } from "./condition-guard.ts";
import { emptyLiteralIn } from "./condition-part.ts";
import type { Size } from "./condition-size.ts";
import { ConditionRefused, type ConditionShape, inspectCondition } from "./condition-syntax.ts";
import { type Facts, factTypes, otherFacts, SessionFacts } from "./facts.ts";
import { type ListDeclarations, maxItemsOf } from "./list.ts";
import { didYouMean, type TextPart } from "./problem.ts";

/** A compiled condition. */
export interface Condition {
  readonly source: string;
  /** Variables that it reads, such as "finding". */
  readonly reads: ReadonlySet<string>;
  /** Its value. Throws ConditionFailed when it has none, or when its time is over. */
  readonly holds: (facts: Facts, isOver?: () => boolean) => boolean;
}

/** Called with each value of a part of a condition, and the bounds that were estimated for it. */
export type ValueObserver = (estimate: Size, value: unknown, source: string) => void;

/** Why an expression is not a valid condition. */
export interface ConditionProblem {
  readonly message: string;
  /** What of the expression it is about. */
  readonly part: TextPart;
  readonly suggestion?: string;
  /**
   * Replaces a condition of a policy in force that is only too expensive: it reads the same names and never has a
   * value.
   */
  readonly standIn?: Condition;
}

const linearMatch = "matchesLinear";

/** Compiling takes time and memory too, so the patterns of a policy have a joint limit. */
const patternLimits = { characters: 512, instructions: 100_000 } as const;

const base = Object.entries(factTypes).reduce(
  (environment, [name, { type, ctor, fields }]) =>
    environment.registerType(type, { ctor, fields }).registerVariable(name, type),
  new Environment({ limits: { maxAstNodes: 500, maxDepth: 32, maxListElements: 200, maxMapEntries: 50 } }),
);
base.registerVariable("findings", otherFacts.findings.type);
base.registerFunction("Session.saw(string): bool", (session: SessionFacts, stage: string) => session.saw(stage));
base.registerFunction("Session.saw(string, string): bool", (session: SessionFacts, stage: string, trust: string) =>
  session.saw(stage, trust),
);
base.registerFunction("Session.found(string): int", (session: SessionFacts, glob: string) => session.found(glob));

const fieldNames = Object.values(factTypes).flatMap(({ fields }) => Object.keys(fields));

/** Suggests the owner of a field, such as "segment.text" for "text". */
function ownersOf(name: string): string | undefined {
  const owners = Object.entries(factTypes).filter(([, { fields }]) => Object.hasOwn(fields, name));
  if (owners.length === 0) return undefined;
  return `did you mean ${owners.map(([owner]) => `"${owner}.${name}"`).join(" or ")}?`;
}

/** Suggests the operator for half of one, such as "==" for "=". */
function operatorFor(message: string): string | undefined {
  const half = /^Unexpected character: ([=&|])$/.exec(message)?.[1];
  return half === undefined ? undefined : `did you mean "${half}${half}"?`;
}

/** Compiles the conditions of one policy. `lists` are the policy's lists by name. */
export class ConditionCompiler {
  readonly #environment: Environment;
  readonly #patterns = new Map<string, RE2JS>();
  #instructions = 0;
  readonly #listLengths: ReadonlyMap<string, number>;
  readonly #time = new ConditionTime();
  readonly #watch: ValueObserver | undefined;

  constructor(lists: ListDeclarations, observer?: ValueObserver) {
    this.#watch = observer;
    const names = Object.keys(lists);
    this.#listLengths = new Map(Object.entries(lists).map(([name, list]) => [name, maxItemsOf(list)]));
    this.#environment = base
      .clone()
      .registerVariable("lists", { schema: Object.fromEntries(names.map((name) => [name, "list<string>"])) })
      .registerFunction(`string.${linearMatch}(string): bool`, (text: string, pattern: string) =>
        this.#test(text, pattern),
      );
  }

  /** The condition, or its problem. */
  compile(source: string): Condition | ConditionProblem {
    try {
      return this.#compile(source);
    } catch (error) {
      return this.#problem(error);
    }
  }

  /** The same for a policy in force: a condition that is only too expensive leaves its rule unjudged. */
  compileInForce(source: string): Condition | ConditionProblem {
    const result = this.compile(source);
    return isConditionProblem(result) ? (result.standIn ?? result) : result;
  }

  #compile(source: string): Condition | ConditionProblem {
    const program = this.#environment.parse(source);
    const shape = inspectCondition(program.ast, {
      listLengths: this.#listLengths,
      compilePattern: (pattern, part) => this.#compilePattern(pattern, part),
    });
    const { reads, matches, excess } = shape;
    for (const node of matches) node.args[0] = linearMatch;
    const { valid, type, error } = program.check();
    if (!valid) return isOfCel(error) ? this.#problem(error) : uncheckable(error, program.ast);
    if (type !== "bool" && type !== "dyn")
      return { message: `expected a condition (bool), found ${type}`, part: partOf(program.ast) };
    if (excess !== undefined) return { ...this.#problem(excess), standIn: { source, reads, holds: hasNoValue } };
    this.#guard(shape);
    return { source, reads, holds: (facts, isOver) => this.#time.within(isOver, () => holds(program, facts)) };
  }

  #guard({ sums, repeated, sizes }: ConditionShape): void {
    for (const node of sums) guardSum(node);
    for (const [node, steps] of repeated) guardRepeated(node, steps, this.#time);
    const observer = this.#watch;
    if (observer === undefined) return;
    for (const [node, size] of sizes)
      observeValues(node, (value) => observer(size, value, node.input.slice(node.start, node.end)));
  }

  #compilePattern(pattern: string, part: TextPart): number {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known.programSize();
    if (pattern.length > patternLimits.characters) {
      throw new ConditionRefused(`the pattern is longer than ${patternLimits.characters} characters`, part);
    }
    if (this.#instructions > patternLimits.instructions) {
      throw new ConditionRefused("the patterns of the policy's conditions are too large together", part);
    }
    try {
      const compiled = RE2JS.compile(pattern);
      this.#patterns.set(pattern, compiled);
      this.#instructions += compiled.programSize();
      return compiled.programSize();
    } catch (error) {
      throw new ConditionRefused(`the pattern is not an RE2 expression: ${messageOf(error)}`, part);
    }
  }

  #test(text: string, pattern: string): boolean {
    const compiled = this.#patterns.get(pattern);
    if (compiled === undefined) throw new ConditionFailed("a pattern was not compiled beforehand");
    this.#time.spend(text.length * Math.max(1, compiled.programSize() / 100));
    return compiled.test(text);
  }

  #problem(error: unknown): ConditionProblem {
    if (error instanceof ConditionRefused) {
      const called = /"(.+?)"/.exec(error.message)?.[1];
      const suggestion = called === undefined ? undefined : didYouMean(called, error.suggestions);
      return { message: error.message, part: error.part, ...(suggestion === undefined ? {} : { suggestion }) };
    }
    if (!isOfCel(error)) throw error;
    const message = readable(error.summary);
    const unknown = /^(?:unknown field|unknown variable) "(.+)"/.exec(message)?.[1];
    const known = [...fieldNames, ...Object.keys(factTypes), ...Object.keys(otherFacts), ...this.#listLengths.keys()];
    const suggestion = unknown === undefined ? operatorFor(message) : (ownersOf(unknown) ?? didYouMean(unknown, known));
    return { message, part: error.range ?? { start: 0, end: 0 }, ...(suggestion === undefined ? {} : { suggestion }) };
  }
}

function isOfCel(error: unknown): error is ParseError | CelTypeError | EvaluationError {
  return error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError;
}

// The elements of an empty literal have no type, and the checker fails where several operators would apply.
function uncheckable(error: unknown, ast: ASTNode): ConditionProblem {
  const empty = emptyLiteralIn(ast);
  if (empty === undefined) return { message: `the types cannot be checked: ${messageOf(error)}`, part: partOf(ast) };
  const message = "the elements of an empty list or map have no type, so a condition cannot use them";
  return { message, part: partOf(empty) };
}

function partOf({ start, end }: ASTNode): TextPart {
  return { start, end };
}

/** True for the result of ConditionCompiler.compile when the expression is invalid. */
export function isConditionProblem(result: Condition | ConditionProblem): result is ConditionProblem {
  return "part" in result;
}

function readable(summary: string): string {
  const missing = /^No such key: (.+)$/.exec(summary)?.[1];
  if (missing !== undefined) return `unknown field "${missing}"`;
  const unknown = /^Unknown variable: (.+)$/.exec(summary)?.[1];
  return unknown === undefined ? summary : `unknown variable "${unknown}"`;
}

function holds(program: (context: Record<string, unknown>) => unknown, facts: Facts): boolean {
  let value: unknown;
  try {
    value = program({ ...facts });
  } catch (error) {
    throw error instanceof ConditionFailed ? error : new ConditionFailed(messageOf(error));
  }
  if (typeof value !== "boolean") throw new ConditionFailed("the condition has no truth value");
  return value;
}

/** True for the stand-in of a condition that is too expensive: whatever the facts are, it has no value. */
export function hasNeverValue({ holds: own }: Condition): boolean {
  return own === hasNoValue;
}

function hasNoValue(): never {
  throw new ConditionFailed("the condition is too expensive", "condition_too_expensive");
}

function messageOf(error: unknown): string {
  if (error instanceof EvaluationError) return readable(error.summary);
  return error instanceof Error ? error.message : String(error);
}

/** Proves that no call of `matches` reaches the library's own. Throws when one does. */
export function assertMatchesIsLinear(): void {
  const compiler = new ConditionCompiler({ words: ["a"] });
  // RE2 reads \z as the end of the text; a backtracking RegExp reads it as the letter z, so it would answer false.
  const pattern = String.raw`r"^a\z"`;
  const calls = [
    `"a".matches(${pattern})`,
    `dyn("a").matches(${pattern})`,
    `lists.words.all(w, w.matches(${pattern}))`,
    `lists.words.exists(w, w.matches(${pattern}))`,
    `lists.words.exists_one(w, w.matches(${pattern}))`,
    `lists.words.filter(w, w.matches(${pattern})).size() == 1`,
    `lists.words.map(w, w.matches(${pattern}))[0]`,
    `lists.words.map(w, w.matches(${pattern}), w).size() == 1`,
    `false ? false : !(!("a".matches(${pattern})))`,
    `{"k": ["a".matches(${pattern})]}["k"][0]`,
  ];
  for (const call of calls) {
    const condition = compiler.compile(call);
    if (isConditionProblem(condition) || !condition.holds(selfTestFacts)) {
      throw new Error(`the condition ${call} does not use the linear-time matcher`);
    }
  }
  for (const call of [
    '"a".matches("a" + "b")',
    `"a".${linearMatch}("a")`,
    'matches("a", "a")',
    'cel.bind(x, "a", x == "a")',
  ]) {
    if (!isConditionProblem(compiler.compile(call))) throw new Error(`the condition ${call} has to be refused`);
  }
}

/**
 * Proves that every sum respects its limit, and that the time limit stops every iteration. Throws when one does not.
 */
export function assertGuarded(): void {
  const compiler = new ConditionCompiler({ words: ["a"] });
  const sums = [
    "metadata.long + metadata.long",
    "metadata.list + metadata.list",
    "[metadata.long].map(x, x + x)[0]",
    "(true ? metadata.long : [0]) + metadata.long",
  ];
  for (const sum of sums) {
    const condition = compiler.compile(`size(${sum.replaceAll("metadata", "request.metadata")}) > 0`);
    // Twice, since the library caches what it resolves on the first call.
    const failures = isConditionProblem(condition) ? [] : [1, 2].map(() => failureOf(condition, () => false));
    if (failures.join() !== "condition_too_expensive,condition_too_expensive") {
      throw new Error(`the condition ${sum} is not held to the largest sum`);
    }
  }
  for (const macro of [
    "all(x, x == 0)",
    "exists(x, x == 1)",
    "exists_one(x, x == 1)",
    "filter(x, x == 1).size() > 9",
  ]) {
    const list = "request.metadata.list";
    const condition = compiler.compile(`[0, 0, 0, 0, 0, 0, 0, 0].map(y, ${list}.${macro}).size() == 0 || true`);
    const failures = isConditionProblem(condition) ? [] : [1, 2].map(() => failureOf(condition, () => true));
    if (failures.join() !== "timeout,timeout") {
      throw new Error(`the condition ${macro} does not end with its time`);
    }
  }
}

function failureOf(condition: Condition, isOver: () => boolean): string | undefined {
  const metadata = { long: "x".repeat(40_000), list: new Array<number>(3_000).fill(0) };
  const request = new factTypes.request.ctor({ ...selfTestFacts.request, metadata });
  try {
    condition.holds({ ...selfTestFacts, request }, isOver);
    return undefined;
  } catch (error) {
    return error instanceof ConditionFailed ? error.reason : "unknown";
  }
}

const selfTestFacts = {
  request: new factTypes.request.ctor({ stage: "", agent_id: "", env: "", session_id: "", language: "", metadata: {} }),
  segment: new factTypes.segment.ctor({ id: "", role: "", origin: "", trust: "", text: "" }),
  subject: new factTypes.subject.ctor("", [], {}),
  session: new SessionFacts(emptyLedger),
  findings: [],
  lists: { words: ["a"] },
};

assertMatchesIsLinear();
assertGuarded();
