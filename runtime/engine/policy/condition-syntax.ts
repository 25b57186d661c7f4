// Walks the syntax tree of a CEL expression: collects the names it reads and the functions it calls, and bounds its
// cost. The cost is a static upper bound: sizes come from the document and the limits of a request (condition-size.ts).
// One step is about 10 ns.

import type { ASTNode } from "@marcbachmann/cel-js";
import { type ConditionFunction, conditionFunctions } from "./condition-function.ts";
import {
  anyOf,
  builtLimits,
  fieldSize,
  listSize,
  literalSize,
  type Size,
  scalar,
  textSize,
  variableSize,
} from "./condition-size.ts";
import type { TextPart } from "./problem.ts";

const stepLimit = 50_000_000;
const nestingLimit = 2;
const namesOf = (wanted: (each: ConditionFunction) => boolean) =>
  new Set(conditionFunctions.filter(wanted).map(({ name }) => name));
const functions = namesOf(({ receiver }) => receiver === undefined);
const macros = namesOf(({ isMacro }) => isMacro === true);
const methods = namesOf(({ receiver }) => receiver !== undefined && receiver !== "Session");
/** The texts that each argument of a method of the session may be; undefined for any. */
const sessionMethods: ReadonlyMap<string, readonly (readonly string[] | undefined)[]> = new Map(
  conditionFunctions
    .filter(({ receiver }) => receiver === "Session")
    .map(({ name, parameters }) => [name, parameters.map(({ texts }) => texts)]),
);

/** Something that a condition must not contain, and the part of its source. */
export class ConditionRefused extends Error {
  readonly part: TextPart;
  readonly suggestions: readonly string[];

  constructor(message: string, { start, end }: TextPart, suggestions: Iterable<string> = []) {
    super(message);
    this.part = { start, end };
    this.suggestions = [...suggestions];
  }
}

/** The result of a walk over a condition. */
export interface ConditionShape {
  /** The variables of the environment that it reads. */
  readonly reads: ReadonlySet<string>;
  /** Calls of `matches`, which are to be redirected. Their patterns are literals. */
  readonly matches: readonly (ASTNode & { op: "rcall" })[];
  /** Sums, whose values must stay within `builtLimits` during evaluation. */
  readonly sums: readonly ASTNode[];
  /** Expressions that are evaluated for each element of a list, with their steps. */
  readonly repeated: readonly (readonly [ASTNode, number])[];
  /** Upper bounds of each value. */
  readonly sizes: ReadonlyMap<ASTNode, Size>;
  /** Why it is too expensive; undefined when it is not. */
  readonly excess: ConditionRefused | undefined;
}

/** The maximum cost of a part of a condition, and the bounds of its value. */
interface Estimate {
  readonly steps: number;
  readonly size: Size;
}

/** What a walk needs from the policy. */
export interface WalkContext {
  /** Lengths of the policy's lists. */
  readonly listLengths: ReadonlyMap<string, number>;
  /** Compiles a pattern and returns its number of instructions; throws ConditionRefused. */
  readonly compilePattern: (pattern: string, part: TextPart) => number;
}

/** Throws ConditionRefused for anything that is not allowed, and reports what could cost too much. */
export function inspectCondition(ast: ASTNode, context: WalkContext): ConditionShape {
  const walk = new Walk(context);
  const { steps } = walk.visit(ast, new Map(), 0);
  if (steps > stepLimit) {
    const times = Math.min(1_000_000, Math.ceil(steps / stepLimit)).toLocaleString("en");
    const message = `the condition could take ${times} times as long as is allowed; use a detector for scanning text`;
    walk.exceed(message, ast);
  }
  return walk;
}

/** Variables of the enclosing comprehensions. */
type Bound = ReadonlyMap<string, Size>;

class Walk implements ConditionShape {
  readonly reads = new Set<string>();
  readonly matches: (ASTNode & { op: "rcall" })[] = [];
  readonly sums: ASTNode[] = [];
  readonly repeated: (readonly [ASTNode, number])[] = [];
  readonly sizes = new Map<ASTNode, Size>();
  readonly #context: WalkContext;
  #excess: ConditionRefused | undefined;

  constructor(context: WalkContext) {
    this.#context = context;
  }

  get excess(): ConditionRefused | undefined {
    return this.#excess;
  }

  /**
   * Records that something is too large. The walk continues, so that the names the condition reads are still collected.
   */
  exceed(message: string, part: TextPart): void {
    this.#excess ??= new ConditionRefused(message, part);
  }

  visit(node: ASTNode, bound: Bound, nesting: number): Estimate {
    const estimate = this.#estimate(node, bound, nesting);
    this.sizes.set(node, estimate.size);
    return estimate;
  }

  #estimate(node: ASTNode, bound: Bound, nesting: number): Estimate {
    switch (node.op) {
      case "value":
        return { steps: 1, size: literalSize(node.args) };
      case "id":
        return this.#name(node.args, bound);
      case ".":
      case ".?":
        return this.#field(node.args[0], node.args[1], bound, nesting);
      case "[]":
      case "[?]":
        return this.#element(node.args, bound, nesting);
      case "call":
        return this.#call(node, bound, nesting);
      case "rcall":
        return this.#method(node, bound, nesting);
      case "list":
        return this.#list(node.args.length, node.args, bound, nesting);
      case "map":
        return this.#list(node.args.length, node.args.flat(), bound, nesting);
      case "?:":
        return this.#choice(node.args, bound, nesting);
      case "+":
        return this.#sum(node, bound, nesting);
      case "in":
        return this.#membership(node.args, bound, nesting);
      case "!_":
      case "-_":
        return { ...this.visit(node.args, bound, nesting), size: scalar };
      default:
        return this.#comparison(node.args, bound, nesting);
    }
  }

  #all(nodes: readonly ASTNode[], bound: Bound, nesting: number): { steps: number; sizes: Size[] } {
    const parts = nodes.map((child) => this.visit(child, bound, nesting));
    return { steps: parts.reduce((total, { steps }) => total + steps, 1), sizes: parts.map(({ size }) => size) };
  }

  #list(count: number, nodes: readonly ASTNode[], bound: Bound, nesting: number): Estimate {
    const { steps, sizes } = this.#all(nodes, bound, nesting);
    const size = {
      ...listSize(count, anyOf(sizes)),
      weight: sizes.reduce((total, { weight }) => total + weight, 1),
      built: sizes.reduce((total, { built }) => total + built, 0),
    };
    return { steps, size };
  }

  #choice(nodes: readonly ASTNode[], bound: Bound, nesting: number): Estimate {
    const { steps, sizes } = this.#all(nodes, bound, nesting);
    return { steps, size: anyOf(sizes.slice(1)) };
  }

  #name(name: string, bound: Bound): Estimate {
    const local = bound.get(name);
    if (local !== undefined) return { steps: 1, size: local };
    this.reads.add(name);
    return { steps: 1, size: variableSize(name, this.#context.listLengths) };
  }

  #field(of: ASTNode, field: string, bound: Bound, nesting: number): Estimate {
    const { steps, size } = this.visit(of, bound, nesting);
    const isVariable = of.op === "id" && !bound.has(of.args);
    if (isVariable) return { steps: 2, size: fieldSize(of.args, field, this.#context.listLengths) };
    return { steps: steps + 1, size: size.item ?? scalar };
  }

  #element(nodes: readonly ASTNode[], bound: Bound, nesting: number): Estimate {
    const { steps, sizes } = this.#all(nodes, bound, nesting);
    return { steps, size: sizes[0]?.item ?? scalar };
  }

  #call(node: ASTNode & { op: "call" }, bound: Bound, nesting: number): Estimate {
    const [name, args] = node.args;
    if (!functions.has(name)) {
      throw new ConditionRefused(
        `unknown function "${name}"; expected one of ${[...functions].join(", ")}`,
        node,
        functions,
      );
    }
    const { steps, sizes } = this.#all(args, bound, nesting);
    const given = anyOf(sizes);
    if (name === "size") return { steps: steps + passSteps(given.units, 1 / 2), size: scalar };
    const written = { ...textSize(Math.max(maxNumberLength, given.units)), built: given.built };
    return { steps: steps + 5, size: name === "dyn" ? given : name === "string" ? written : scalar };
  }

  #method(node: ASTNode & { op: "rcall" }, bound: Bound, nesting: number): Estimate {
    const [name, receiver, args] = node.args;
    if (receiver.op === "id" && receiver.args === "session" && !bound.has("session")) return this.#ofSession(node);
    if (!methods.has(name)) {
      this.visit(receiver, bound, nesting);
      throw new ConditionRefused(`unknown method "${name}"; expected one of ${[...methods].join(", ")}`, node, methods);
    }
    if (macros.has(name)) return this.#comprehension(node, bound, nesting);
    const { steps, sizes } = this.#all([receiver, ...args], bound, nesting);
    const text = sizes[0] ?? scalar;
    const own = name === "matches" ? this.#pattern(node, args, text.units) : methodSteps(name, text.units);
    return { steps: steps + own, size: keepsText.has(name) ? text : scalar };
  }

  /** Arguments of session methods must be literals, so that a misspelt stage is reported instead of never matching. */
  #ofSession(node: ASTNode & { op: "rcall" }): Estimate {
    const [name, , args] = node.args;
    const expected = sessionMethods.get(name);
    if (expected === undefined) {
      const message = `unknown method "${name}" of session; expected one of ${[...sessionMethods.keys()].join(", ")}`;
      throw new ConditionRefused(message, node, sessionMethods.keys());
    }
    for (const [index, arg] of args.entries()) {
      if (arg.op !== "value" || typeof arg.args !== "string") {
        throw new ConditionRefused(`${name}() takes literal texts in quotes`, arg);
      }
      const known = expected[index];
      if (known === undefined || known.includes(arg.args)) continue;
      const message = `${name}() does not know "${arg.args}"; expected one of ${known.join(", ")}`;
      throw new ConditionRefused(message, arg, known);
    }
    this.reads.add("session");
    return { steps: name === "found" ? 20_000 : 600, size: scalar };
  }

  #pattern(node: ASTNode & { op: "rcall" }, args: readonly ASTNode[], units: number): number {
    const [pattern, ...rest] = args;
    if (pattern === undefined || rest.length > 0 || pattern.op !== "value" || typeof pattern.args !== "string") {
      const message = "matches() takes one argument, a literal pattern in quotes";
      throw new ConditionRefused(message, pattern ?? node);
    }
    this.matches.push(node);
    // Each character of the text may visit each instruction of the pattern.
    const size = this.#context.compilePattern(pattern.args, pattern);
    return Math.max(2_000, units <= smallUnits ? 0 : units * 10) * Math.max(1, size / 100);
  }

  #comprehension(node: ASTNode & { op: "rcall" }, bound: Bound, nesting: number): Estimate {
    const [name, receiver, args] = node.args;
    if (nesting >= nestingLimit) {
      throw new ConditionRefused(`${name}() is nested deeper than ${nestingLimit} levels`, node);
    }
    const over = this.visit(receiver, bound, nesting);
    const [variable, ...bodies] = args;
    const inside = new Map(bound);
    if (variable?.op === "id") inside.set(variable.args, over.size.item ?? scalar);
    const body = this.#all(bodies, inside, nesting + 1);
    for (const each of bodies) this.repeated.push([each, body.steps]);
    const { count } = over.size;
    const steps = over.steps + count * (body.steps + 2);
    if (name === "filter") return { steps, size: over.size };
    if (name !== "map") return { steps, size: scalar };
    const made = body.sizes.at(-1) ?? scalar;
    this.#limit("elements", "map()", count, node);
    const list = listSize(Math.min(count, builtLimits.elements), made);
    return { steps: steps + count * made.built * keepingSteps, size: { ...list, isDynamic: over.size.isDynamic } };
  }

  #sum(node: ASTNode & { op: "+" }, bound: Bound, nesting: number): Estimate {
    const { steps, sizes } = this.#all(node.args, bound, nesting);
    // A sum with a number is a number.
    if (sizes.includes(scalar)) return { steps, size: scalar };
    this.sums.push(node);
    const isDynamic = sizes.some((size) => size.isDynamic);
    const total = (key: "units" | "count" | "weight" | "built", of: readonly Size[] = sizes) =>
      of.reduce((sum, size) => sum + size[key], 0);
    const settled = sizes.filter((size) => !size.isDynamic);
    this.#limit("units", '"+"', total("units", settled), node);
    this.#limit("elements", '"+"', total("count", settled), node);
    const units = Math.min(total("units"), builtLimits.units);
    const count = Math.min(total("count"), builtLimits.elements);
    const items = sizes.flatMap(({ item }) => item ?? []);
    const size: Size = {
      ...{ units, count, isDynamic, weight: total("weight"), built: units + (count > 0 ? total("built") : 0) },
      ...(items.length > 0 && { item: anyOf(items) }),
    };
    return { steps: steps + units + count, size };
  }

  /** Records values that may exceed the limit for built values. */
  #limit(what: "units" | "elements", by: string, most: number, node: ASTNode): void {
    if (most <= builtLimits[what]) return;
    const [could, allowed] = [most, builtLimits[what]].map((number) => number.toLocaleString("en"));
    const message =
      what === "units"
        ? `the text that ${by} builds here could have ${could} characters, and ${allowed} are allowed: join shorter texts, or fewer`
        : `the list that ${by} builds here could have ${could} elements, and ${allowed} are allowed: ask the elements of each list with exists(), all() or "in" instead`;
    this.exceed(message, node);
  }

  #membership(nodes: readonly ASTNode[], bound: Bound, nesting: number): Estimate {
    const { steps, sizes } = this.#all(nodes, bound, nesting);
    const [item = scalar, container = scalar] = sizes;
    const each = Math.max(2, Math.min(item.weight, container.item?.weight ?? 1));
    return { steps: steps + Math.min(container.weight, container.count * each), size: scalar };
  }

  // A comparison stops at the first difference, so the smaller value bounds its cost.
  #comparison(nodes: readonly ASTNode[], bound: Bound, nesting: number): Estimate {
    const { steps, sizes } = this.#all(nodes, bound, nesting);
    return { steps: steps + Math.min(...sizes.map(({ weight }) => weight)), size: scalar };
  }
}

/** Methods whose result is at most as long as the text. */
const keepsText = new Set(["lowerAscii", "upperAscii", "trim", "substring"]);

/** Maximum characters of a number or boolean as text. */
const maxNumberLength = 32;

/** Up to this length, reading a text costs no more than the function call. */
const smallUnits = 1_024;

/** Cost of a character that `map` keeps in memory, in steps. */
const keepingSteps = 8;

/** The cost of a pass over a text that takes `stepsPerUnit` steps for each character. */
function passSteps(units: number, stepsPerUnit: number): number {
  return units <= smallUnits ? 20 : units * stepsPerUnit;
}

function methodSteps(name: string, units: number): number {
  if (name === "startsWith" || name === "endsWith" || name === "substring") return 20;
  if (name === "lowerAscii" || name === "upperAscii" || name === "trim") return passSteps(units, 1);
  return passSteps(units, name === "size" ? 1 / 2 : 1 / 16);
}
