// Walks the syntax tree of a CEL expression: which names it reads, which functions it calls, how much it can cost.
// The cost is a static upper bound: list lengths come from the document and the limits of a request, text counts as its
// greatest length. One step stands for about 10 ns.

import type { ASTNode } from "@marcbachmann/cel-js";
import { sessionLimits } from "../session.ts";
import { stageNames } from "./document.ts";

/** The most elements that a list of a request may have for a condition to read it. */
export const listCaps = { findings: 1024, roles: 64, dynamic: 4096 } as const;

const stepLimit = 50_000_000;
const nestingLimit = 2;
const macros = new Set(["all", "exists", "exists_one", "map", "filter"]);
const methods = new Set([
  ...macros,
  ..."size startsWith endsWith contains lowerAscii upperAscii trim indexOf lastIndexOf substring matches".split(" "),
]);
const sessionMethods: ReadonlyMap<string, readonly (readonly string[] | undefined)[]> = new Map([
  ["saw", [stageNames, ["trusted", "untrusted"]]],
  ["found", [undefined]],
]);
const functions = new Set("has size int double string bool dyn".split(" "));

/** Something that a condition must not contain, at an offset of its source. */
export class ConditionRefused extends Error {
  readonly offset: number;
  readonly candidates: readonly string[];

  constructor(message: string, offset: number, candidates: Iterable<string> = []) {
    super(message);
    this.offset = offset;
    this.candidates = [...candidates];
  }
}

/** What a walk over a condition found. */
export interface ConditionShape {
  /** Variables of the environment that it reads. */
  readonly reads: ReadonlySet<string>;
  /** Calls of `matches`, to be redirected. Their patterns are literals. */
  readonly matches: readonly (ASTNode & { op: "rcall" })[];
}

interface Estimate {
  readonly steps: number;
  /** Whether it may be as long as the text of a request. */
  readonly isLarge: boolean;
  /** The most elements, for a list. */
  readonly length: number;
}

/** What a walk has to know of the policy. */
export interface WalkContext {
  /** Lengths of the policy's lists. */
  readonly listLengths: ReadonlyMap<string, number>;
  /** Compiles a pattern and tells its number of instructions; throws ConditionRefused. */
  readonly compilePattern: (pattern: string, offset: number) => number;
}

/** Refuses what is not allowed or could cost too much. */
export function inspectCondition(ast: ASTNode, context: WalkContext): ConditionShape {
  const walk = new Walk(context);
  const { steps } = walk.visit(ast, new Map(), 0);
  if (steps > stepLimit) {
    throw new ConditionRefused(
      `the condition could take ${Math.round(steps / stepLimit)} times as long as is allowed; use a detector for scanning text`,
      ast.start,
    );
  }
  return walk;
}

class Walk implements ConditionShape {
  readonly reads = new Set<string>();
  readonly matches: (ASTNode & { op: "rcall" })[] = [];
  readonly #context: WalkContext;

  constructor(context: WalkContext) {
    this.#context = context;
  }

  /** `bound` holds the variables of the enclosing comprehensions, and whether each may be large. */
  visit(node: ASTNode, bound: ReadonlyMap<string, boolean>, nesting: number): Estimate {
    switch (node.op) {
      case "value":
        return { steps: 1, isLarge: false, length: 0 };
      case "id":
        return this.#name(node.args, bound);
      case ".":
      case ".?":
        return this.#field(node.args[0], node.args[1], bound, nesting);
      case "call":
        return this.#call(node, bound, nesting);
      case "rcall":
        return this.#method(node, bound, nesting);
      case "list":
        return { ...this.#all(node.args, bound, nesting), length: node.args.length };
      case "map":
        return this.#all(node.args.flat(), bound, nesting);
      case "!_":
      case "-_":
        return this.visit(node.args, bound, nesting);
      case "+":
        return this.#sum(node.args, bound, nesting);
      case "in":
      case "==":
      case "!=":
        return this.#comparison(node.args, bound, nesting);
      default:
        return this.#all(node.args, bound, nesting);
    }
  }

  #all(nodes: readonly ASTNode[], bound: ReadonlyMap<string, boolean>, nesting: number): Estimate {
    const parts = nodes.map((child) => this.visit(child, bound, nesting));
    return {
      steps: parts.reduce((total, { steps }) => total + steps, 1),
      isLarge: parts.some(({ isLarge }) => isLarge),
      length: Math.max(0, ...parts.map(({ length }) => length)),
    };
  }

  #name(name: string, bound: ReadonlyMap<string, boolean>): Estimate {
    const local = bound.get(name);
    if (local !== undefined) return { steps: 1, isLarge: local, length: local ? listCaps.dynamic : 0 };
    this.reads.add(name);
    return { steps: 1, isLarge: false, length: name === "findings" ? listCaps.findings : 0 };
  }

  #field(of: ASTNode, field: string, bound: ReadonlyMap<string, boolean>, nesting: number): Estimate {
    const inner = this.visit(of, bound, nesting);
    const root = of.op === "id" && !bound.has(of.args) ? of.args : "";
    const path = `${root}.${field}`;
    if (root === "lists") return { steps: 2, isLarge: false, length: this.#context.listLengths.get(field) ?? 0 };
    if (root === "session") {
      this.reads.add(root);
      return { steps: 2, isLarge: false, length: sessionLimits.names };
    }
    if (path === "subject.roles") return { steps: 2, isLarge: false, length: listCaps.roles };
    const isDynamic = ["tool.args", "subject.attributes", "request.metadata"].includes(path) || inner.isLarge;
    return {
      steps: inner.steps + 1,
      isLarge: isDynamic || path === "segment.text",
      length: isDynamic ? listCaps.dynamic : 0,
    };
  }

  #call(node: ASTNode & { op: "call" }, bound: ReadonlyMap<string, boolean>, nesting: number): Estimate {
    const [name, args] = node.args;
    if (!functions.has(name)) {
      throw new ConditionRefused(
        `unknown function "${name}"; expected one of ${[...functions].join(", ")}`,
        node.start,
        functions,
      );
    }
    const inner = this.#all(args, bound, nesting);
    return { ...inner, steps: inner.steps + (name === "size" && inner.isLarge ? 65_536 : 5) };
  }

  #method(node: ASTNode & { op: "rcall" }, bound: ReadonlyMap<string, boolean>, nesting: number): Estimate {
    const [name, receiver, args] = node.args;
    if (receiver.op === "id" && receiver.args === "session" && !bound.has("session")) return this.#ofSession(node);
    if (!methods.has(name)) {
      this.visit(receiver, bound, nesting);
      throw new ConditionRefused(
        `unknown method "${name}"; expected one of ${[...methods].join(", ")}`,
        node.start,
        methods,
      );
    }
    if (macros.has(name)) return this.#comprehension(node, bound, nesting);
    const inner = this.#all([receiver, ...args], bound, nesting);
    const own = name === "matches" ? this.#pattern(node, args, inner.isLarge) : methodSteps(name, inner.isLarge);
    return { steps: inner.steps + own, isLarge: inner.isLarge, length: 0 };
  }

  /** What is asked of a session is written out, so that a misspelt stage is found before it never matches. */
  #ofSession(node: ASTNode & { op: "rcall" }): Estimate {
    const [name, , args] = node.args;
    const expected = sessionMethods.get(name);
    if (expected === undefined) {
      const message = `unknown method "${name}" of session; expected one of ${[...sessionMethods.keys()].join(", ")}`;
      throw new ConditionRefused(message, node.start, sessionMethods.keys());
    }
    for (const [index, arg] of args.entries()) {
      if (arg.op !== "value" || typeof arg.args !== "string") {
        throw new ConditionRefused(`${name}() takes texts written out in quotes`, arg.start);
      }
      const known = expected[index];
      if (known === undefined || known.includes(arg.args)) continue;
      const message = `${name}() does not know "${arg.args}"; expected one of ${known.join(", ")}`;
      throw new ConditionRefused(message, arg.start, known);
    }
    this.reads.add("session");
    return { steps: name === "found" ? 20_000 : 600, isLarge: false, length: 0 };
  }

  #pattern(node: ASTNode & { op: "rcall" }, args: readonly ASTNode[], isLarge: boolean): number {
    const [pattern, ...rest] = args;
    if (pattern === undefined || rest.length > 0 || pattern.op !== "value" || typeof pattern.args !== "string") {
      const message = "matches() takes one argument, a pattern written out in quotes";
      throw new ConditionRefused(message, pattern?.start ?? node.start);
    }
    this.matches.push(node);
    // Each character of the text may meet each instruction of the pattern.
    const size = this.#context.compilePattern(pattern.args, pattern.start);
    return (isLarge ? 10_000_000 : 2_000) * Math.max(1, size / 100);
  }

  #comprehension(node: ASTNode & { op: "rcall" }, bound: ReadonlyMap<string, boolean>, nesting: number): Estimate {
    const [name, receiver, args] = node.args;
    if (nesting >= nestingLimit) {
      throw new ConditionRefused(`${name}() is nested deeper than ${nestingLimit} levels`, node.start);
    }
    const over = this.visit(receiver, bound, nesting);
    const [variable, ...bodies] = args;
    const inside = new Map(bound);
    if (variable?.op === "id") inside.set(variable.args, over.isLarge);
    const body = this.#all(bodies, inside, nesting + 1);
    const length = over.length === 0 ? listCaps.dynamic : over.length;
    return { steps: over.steps + length * (body.steps + 2), isLarge: over.isLarge || body.isLarge, length };
  }

  #sum(nodes: readonly ASTNode[], bound: ReadonlyMap<string, boolean>, nesting: number): Estimate {
    const parts = nodes.map((child) => this.visit(child, bound, nesting));
    const isLarge = parts.some((part) => part.isLarge);
    const length = parts.reduce((total, part) => total + part.length, 0);
    // Joined text is kept in memory, so it weighs more than the time that joining takes.
    return {
      steps: parts.reduce((total, { steps }) => total + steps, isLarge ? 10_000_000 : 1 + length),
      isLarge,
      length,
    };
  }

  #comparison(nodes: readonly ASTNode[], bound: ReadonlyMap<string, boolean>, nesting: number): Estimate {
    const inner = this.#all(nodes, bound, nesting);
    return { steps: inner.steps + inner.length * 2, isLarge: false, length: 0 };
  }
}

function methodSteps(name: string, isLarge: boolean): number {
  if (!isLarge) return 20;
  if (name === "lowerAscii" || name === "upperAscii" || name === "trim") return 1_000_000;
  return name === "startsWith" || name === "endsWith" || name === "substring" ? 20 : 65_536;
}
