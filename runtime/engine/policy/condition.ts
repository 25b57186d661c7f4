// Conditions: CEL expressions, checked against the types of facts.ts and evaluated by @marcbachmann/cel-js.
// Its own `matches` is a backtracking RegExp. Ours takes a literal pattern, compiled here by the linear-time RE2JS; every
// call is redirected to it in the syntax tree, and the self-test at the end refuses to load the module if one is not.

import { TypeError as CelTypeError, Environment, EvaluationError, ParseError } from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import { emptyLedger } from "../session.ts";
import { ConditionRefused, inspectCondition } from "./condition-syntax.ts";
import { type Facts, factTypes, SessionFacts } from "./facts.ts";
import { type ListDeclarations, mostItemsOf } from "./list.ts";
import { didYouMean } from "./problem.ts";

/** A condition that can be evaluated. */
export interface Condition {
  readonly source: string;
  /** Variables that it reads, such as "finding". */
  readonly reads: ReadonlySet<string>;
  /** Its value. Throws ConditionFailed when it has none. */
  readonly holds: (facts: Facts) => boolean;
}

/** A condition that has no value for these facts, such as one that reads an argument that was not sent. */
export class ConditionFailed extends Error {
  override readonly name = "ConditionFailed";
}

/** Why an expression cannot be a condition. */
export interface ConditionProblem {
  readonly message: string;
  /** Character of the expression. */
  readonly offset: number;
  readonly suggestion?: string;
}

const linearMatch = "matchesLinear";

/** Compiling takes time and memory as well, so that all patterns of a policy together have a limit. */
const patternLimits = { characters: 512, instructions: 100_000 } as const;

const base = Object.entries(factTypes).reduce(
  (environment, [name, { type, ctor, fields }]) =>
    environment.registerType(type, { ctor, fields }).registerVariable(name, type),
  new Environment({ limits: { maxAstNodes: 500, maxDepth: 32, maxListElements: 200, maxMapEntries: 50 } }),
);
base.registerVariable("findings", "list<Finding>");
base.registerFunction("Session.saw(string): bool", (session: SessionFacts, stage: string) => session.saw(stage));
base.registerFunction("Session.saw(string, string): bool", (session: SessionFacts, stage: string, trust: string) =>
  session.saw(stage, trust),
);
base.registerFunction("Session.found(string): int", (session: SessionFacts, glob: string) => session.found(glob));

const fieldNames = Object.values(factTypes).flatMap(({ fields }) => Object.keys(fields));

/** Where a field is that was looked for elsewhere, as "text" for "segment.text". */
function ownersOf(name: string): string | undefined {
  const owners = Object.entries(factTypes).filter(([, { fields }]) => Object.hasOwn(fields, name));
  if (owners.length === 0) return undefined;
  return `did you mean ${owners.map(([owner]) => `"${owner}.${name}"`).join(" or ")}?`;
}

/** Compiles the conditions of one policy. `lists` are the policy's lists by name. */
export class ConditionCompiler {
  readonly #environment: Environment;
  readonly #patterns = new Map<string, RE2JS>();
  #instructions = 0;
  readonly #listLengths: ReadonlyMap<string, number>;

  constructor(lists: ListDeclarations) {
    const names = Object.keys(lists);
    this.#listLengths = new Map(Object.entries(lists).map(([name, list]) => [name, mostItemsOf(list)]));
    this.#environment = base
      .clone()
      .registerVariable("lists", { schema: Object.fromEntries(names.map((name) => [name, "list<string>"])) })
      .registerFunction(`string.${linearMatch}(string): bool`, (text: string, pattern: string) =>
        this.#test(text, pattern),
      );
  }

  /** The condition, or what is wrong with it. */
  compile(source: string): Condition | ConditionProblem {
    try {
      return this.#compile(source);
    } catch (error) {
      return this.#problem(error);
    }
  }

  #compile(source: string): Condition | ConditionProblem {
    const program = this.#environment.parse(source);
    const { reads, matches } = inspectCondition(program.ast, {
      listLengths: this.#listLengths,
      compilePattern: (pattern, offset) => this.#compilePattern(pattern, offset),
    });
    for (const node of matches) node.args[0] = linearMatch;
    const { valid, type, error } = program.check();
    if (!valid) return this.#problem(error);
    if (type !== "bool" && type !== "dyn") return { message: `expected a condition (bool), found ${type}`, offset: 0 };
    return { source, reads, holds: (facts) => holds(program, facts) };
  }

  #compilePattern(pattern: string, offset: number): number {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known.programSize();
    if (pattern.length > patternLimits.characters) {
      throw new ConditionRefused(`the pattern is longer than ${patternLimits.characters} characters`, offset);
    }
    if (this.#instructions > patternLimits.instructions) {
      throw new ConditionRefused("the patterns of the policy's conditions are too large together", offset);
    }
    try {
      const compiled = RE2JS.compile(pattern);
      this.#patterns.set(pattern, compiled);
      this.#instructions += compiled.programSize();
      return compiled.programSize();
    } catch (error) {
      throw new ConditionRefused(`the pattern is not an RE2 expression: ${messageOf(error)}`, offset);
    }
  }

  #test(text: string, pattern: string): boolean {
    const compiled = this.#patterns.get(pattern);
    if (compiled === undefined) throw new ConditionFailed("a pattern was not compiled beforehand");
    return compiled.test(text);
  }

  #problem(error: unknown): ConditionProblem {
    if (error instanceof ConditionRefused) {
      const called = /"(.+?)"/.exec(error.message)?.[1];
      const suggestion = called === undefined ? undefined : didYouMean(called, error.candidates);
      return { message: error.message, offset: error.offset, ...(suggestion === undefined ? {} : { suggestion }) };
    }
    if (!(error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError))
      throw error;
    const message = readable(error.summary);
    const unknown = /^(?:unknown field|unknown variable) "(.+)"/.exec(message)?.[1];
    const known = [...fieldNames, ...Object.keys(factTypes), "findings", "lists", ...this.#listLengths.keys()];
    const suggestion = unknown === undefined ? undefined : (ownersOf(unknown) ?? didYouMean(unknown, known));
    return { message, offset: error.range?.start ?? 0, ...(suggestion === undefined ? {} : { suggestion }) };
  }
}

/** True for what ConditionCompiler.compile returns when the expression is wrong. */
export function isConditionProblem(result: Condition | ConditionProblem): result is ConditionProblem {
  return "offset" in result;
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
    throw new ConditionFailed(messageOf(error));
  }
  if (typeof value !== "boolean") throw new ConditionFailed("the condition has no truth value");
  return value;
}

function messageOf(error: unknown): string {
  if (error instanceof EvaluationError) return readable(error.summary);
  return error instanceof Error ? error.message : String(error);
}

/** Proves that no way of calling `matches` reaches the library's own. Throws when one does. */
export function assertMatchesIsLinear(): void {
  const compiler = new ConditionCompiler({ words: ["a"] });
  // In RE2 \C is "any byte" and \z the end; a backtracking RegExp reads both as letters, so it would answer false.
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

const selfTestFacts = {
  request: new factTypes.request.ctor({ stage: "", agent_id: "", env: "", session_id: "", language: "", metadata: {} }),
  segment: new factTypes.segment.ctor({ id: "", role: "", origin: "", trust: "", text: "" }),
  subject: new factTypes.subject.ctor("", [], {}),
  session: new SessionFacts(emptyLedger),
  findings: [],
  lists: { words: ["a"] },
};

assertMatchesIsLinear();
