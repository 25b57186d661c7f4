// A condition as a tree of parts that && and || join, each with the facts that it reads and no record keeps. A replay
// asks the parts one by one, and joins what is known of them.

import type { ASTNode } from "@marcbachmann/cel-js";
import { type Condition, ConditionCompiler, hasNeverValue, isConditionProblem } from "./condition.ts";
import { childrenOf, parseCondition, printCondition } from "./condition-part.ts";
import { findingAttributes } from "./facts.ts";
import type { ListDeclarations } from "./list.ts";

/** Facts that conditions read and that records keep in some cases, or never. */
export type FactKind = "subject" | "tool" | "session" | "text" | "attribute" | "origin" | "language";

/** A part of a condition without && or || outside. */
export interface ConditionLeaf {
  readonly joint: "";
  readonly condition: Condition;
  /** The part in canonical spelling. */
  readonly text: string;
  readonly kinds: ReadonlySet<FactKind>;
  /** The lists that it reads; undefined for all of them. */
  readonly lists: readonly string[] | undefined;
}

/** A condition, split. */
export type ConditionTree = ConditionLeaf | { readonly joint: "&&" | "||"; readonly parts: readonly ConditionTree[] };

/** What no record keeps, whatever it is made of. */
export const neverRecorded: ReadonlySet<FactKind> = new Set(["subject", "tool", "session", "text", "attribute"]);

const known = new WeakMap<Condition, ConditionTree>();

/** The tree of a condition of a policy that declares these lists. */
export function treeOf(condition: Condition, lists: ListDeclarations): ConditionTree {
  let tree = known.get(condition);
  if (tree === undefined) {
    tree = split(condition, lists);
    known.set(condition, tree);
  }
  return tree;
}

/** The leaves of a tree. */
export function leavesOf(tree: ConditionTree): readonly ConditionLeaf[] {
  return tree.joint === "" ? [tree] : tree.parts.flatMap(leavesOf);
}

/** True when a condition reads something that no record keeps. */
export function readsUnrecorded(tree: ConditionTree): boolean {
  return leavesOf(tree).some(({ kinds }) => [...kinds].some((kind) => neverRecorded.has(kind)));
}

function split(condition: Condition, lists: ListDeclarations): ConditionTree {
  const ast = parseCondition(condition.source);
  const whole = (): ConditionLeaf => ({ joint: "", condition, text: condition.source, ...factsOf(ast) });
  // One that is too expensive has no value as a whole, whatever its parts have.
  if (ast === undefined || hasNeverValue(condition)) return whole();
  const compiler = new ConditionCompiler(lists);
  const treeOfNode = (node: ASTNode): ConditionTree | undefined => {
    if (node.op === "&&" || node.op === "||") {
      const parts = node.args.map(treeOfNode);
      const sound = parts.filter((part) => part !== undefined);
      return sound.length === parts.length ? { joint: node.op, parts: sound } : undefined;
    }
    const text = printCondition(node);
    const part = compiler.compileInForce(text);
    return isConditionProblem(part) ? undefined : { joint: "", condition: part, text, ...factsOf(node) };
  };
  if (ast.op !== "&&" && ast.op !== "||") return { ...whole(), text: printCondition(ast) };
  return treeOfNode(ast) ?? whole();
}

/** Every kind: for what cannot be read. */
const everything: ReadonlySet<FactKind> = new Set([...neverRecorded, "origin", "language"]);

const attributes: readonly string[] = [...findingAttributes, "attributes"];

/** What each field of a variable reads beyond what every record keeps; "*" is any other use of the variable. */
const kindsOf: Readonly<Record<string, Readonly<Record<string, readonly FactKind[]>>>> = {
  subject: { user_id: [], "*": ["subject"] },
  tool: { name: [], "*": ["tool"] },
  session: { "*": ["session"] },
  segment: { id: [], role: [], trust: [], length: [], text: ["text"], origin: ["origin"], "*": ["text", "origin"] },
  request: { stage: [], agent_id: [], env: [], session_id: [], metadata: [], "*": ["language"] },
  finding: {
    ...Object.fromEntries(
      ["category", "detector", "score", "start", "end", "layer", "segment"].map((key) => [key, []]),
    ),
    "*": ["attribute"],
  },
};

function factsOf(root: ASTNode | undefined): Pick<ConditionLeaf, "kinds" | "lists"> {
  if (root === undefined) return { kinds: everything, lists: undefined };
  const kinds = new Set<FactKind>();
  const lists = new Set<string>();
  let readsAll = false;
  const open: ASTNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const field = fieldOf(node);
    // Elements of `findings` have any name, so the name of the field decides.
    if (field !== undefined && attributes.includes(field.name)) kinds.add("attribute");
    // What is asked of a dynamic value does not show.
    if (node.op === "call" && node.args[0] === "dyn") for (const kind of everything) kinds.add(kind);
    if (field?.of === "lists") lists.add(field.name);
    else if (field?.of !== undefined && Object.hasOwn(kindsOf, field.of)) addKinds(kinds, field.of, field.name);
    else if (node.op === "id" && node.args === "lists") readsAll = true;
    else if (node.op === "id") addKinds(kinds, node.args, "*");
    else open.push(...childrenOf(node));
  }
  return { kinds, lists: readsAll ? undefined : [...lists].sort() };
}

function addKinds(kinds: Set<FactKind>, variable: string, field: string): void {
  if (!Object.hasOwn(kindsOf, variable)) return;
  const fields = kindsOf[variable] ?? {};
  for (const kind of (Object.hasOwn(fields, field) ? fields[field] : fields["*"]) ?? []) kinds.add(kind);
}

/** The field that a node reads, and the variable that it reads it of; undefined for a node that reads none. */
function fieldOf(node: ASTNode): { readonly of: string | undefined; readonly name: string } | undefined {
  if (node.op !== "." && node.op !== ".?") return undefined;
  const [of, name] = node.args as readonly [ASTNode, unknown];
  if (typeof name !== "string") return undefined;
  return { of: of.op === "id" ? of.args : undefined, name };
}
