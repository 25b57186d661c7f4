// Splits conditions into the parts that their outermost && or || joins, and determines in which direction they depend
// on lists.

import { type ASTNode, Environment, serialize } from "@marcbachmann/cel-js";
import { BoundedCache } from "../../../src/kit/process/bounded-cache.ts";

/** The parts that the outermost operator of a condition joins. */
export interface ConditionParts {
  /** "" for a condition of one part. */
  readonly joint: "&&" | "||" | "";
  /** Expressions in a canonical spelling, whatever the spaces, quotes and parentheses of the source. */
  readonly parts: readonly string[];
}

/**
 * The effect of more entries in a list on a condition: it can only become true, only become false, or this is unknown.
 */
export type Direction = "rises" | "falls" | "unknown";

const environment = new Environment({
  limits: { maxAstNodes: 500, maxDepth: 32, maxListElements: 200, maxMapEntries: 50 },
});

/** The syntax tree of a condition, which must not be modified; undefined for one that is unreadable. */
export function parseCondition(source: string): ASTNode | undefined {
  return read(source);
}

/** A part of a condition in the canonical spelling. */
export function printCondition(node: ASTNode): string {
  return serialize(node);
}

/** The nodes directly below a node. */
export function childrenOf(node: ASTNode): ASTNode[] {
  const args: unknown[] = Array.isArray(node.args) ? node.args.flat(2) : [node.args];
  return args.filter(isNode);
}

/** Splits a condition into parts. An unreadable condition is its own only part. */
export function partsOf(source: string): ConditionParts {
  const ast = read(source);
  if (ast === undefined) return { joint: "", parts: [source] };
  if (ast.op !== "&&" && ast.op !== "||") return { joint: "", parts: [serialize(ast)] };
  return { joint: ast.op, parts: joined(ast, ast.op).map((node) => serialize(node)) };
}

/** The parts of a condition if `joint` joins them; otherwise the condition itself. */
export function partsJoinedBy(joint: "&&" | "||", source: string): readonly string[] {
  const ast = read(source);
  return ast === undefined ? [source] : joined(ast, joint).map((node) => serialize(node));
}

/** How the condition depends on a list; undefined when it does not read the list. */
export function directionOf(source: string, list: string): Direction | undefined {
  const ast = read(source);
  return ast === undefined ? "unknown" : dependence(ast, list);
}

/** The names that a condition reads, including the variables of its macros; every word of an unreadable condition. */
export function namesIn(source: string): ReadonlySet<string> {
  const ast = read(source);
  if (ast === undefined) return new Set(source.match(/\w+/g));
  const names = new Set<string>();
  const open = [ast];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.op === "id") names.add(node.args);
    open.push(...childrenOf(node));
  }
  return names;
}

/** The first list or map literal that is empty. */
export function emptyLiteralIn(node: ASTNode): ASTNode | undefined {
  if ((node.op === "list" || node.op === "map") && node.args.length === 0) return node;
  for (const child of childrenOf(node)) {
    const found = emptyLiteralIn(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Recently parsed conditions, since comparing rules parses each condition many times. The trees are never modified. */
const remembered = new BoundedCache<string, ASTNode | undefined>({ maxEntries: 500 });

function read(source: string): ASTNode | undefined {
  if (remembered.has(source)) return remembered.get(source);
  const ast = parsed(source);
  remembered.set(source, ast);
  return ast;
}

function parsed(source: string): ASTNode | undefined {
  try {
    return environment.parse(source).ast;
  } catch {
    return undefined;
  }
}

function joined(node: ASTNode, joint: "&&" | "||"): ASTNode[] {
  if (node.op !== joint) return [node];
  // The operator was just compared, so its operands are two nodes.
  const [left, right] = node.args as [ASTNode, ASTNode];
  return [...joined(left, joint), ...joined(right, joint)];
}

function dependence(node: ASTNode, list: string): Direction | undefined {
  switch (node.op) {
    case "&&":
    case "||":
      return both(node.args.map((child) => dependence(child, list)));
    case "!_":
      return turned(dependence(node.args, list));
    case "in":
      return membership(node.args, list);
    case "rcall":
      return overList(node, list);
    default:
      return reads(node, list) ? "unknown" : undefined;
  }
}

function membership([item, container]: readonly [ASTNode, ASTNode], list: string): Direction | undefined {
  if (reads(item, list)) return "unknown";
  if (isList(container, list)) return "rises";
  return reads(container, list) ? "unknown" : undefined;
}

function overList(node: ASTNode & { op: "rcall" }, list: string): Direction | undefined {
  const [name, receiver, args] = node.args;
  if (!isList(receiver, list) || args.some((arg) => reads(arg, list))) return reads(node, list) ? "unknown" : undefined;
  if (name === "exists") return "rises";
  return name === "all" ? "falls" : "unknown";
}

function both(directions: readonly (Direction | undefined)[]): Direction | undefined {
  const known = new Set(directions.filter((direction) => direction !== undefined));
  if (known.size > 1) return "unknown";
  return [...known][0];
}

function turned(direction: Direction | undefined): Direction | undefined {
  if (direction === "rises") return "falls";
  return direction === "falls" ? "rises" : direction;
}

function isList(node: ASTNode, list: string): boolean {
  return node.op === "." && node.args[1] === list && node.args[0].op === "id" && node.args[0].args === "lists";
}

// `lists` may be used as a whole, or indexed by a text; then any list is read.
function reads(node: ASTNode, list: string): boolean {
  if (isList(node, list)) return true;
  if (node.op === "." && node.args[0].op === "id" && node.args[0].args === "lists") return false;
  if (node.op === "id") return node.args === "lists";
  return childrenOf(node).some((child) => reads(child, list));
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}
