// A renderer for the part of Helm's template language that the chart keeps to, so that the chart is checked where helm
// is not installed. What is outside of this part is an error here, whatever helm would make of it: if, else, range,
// define, include, variables, and the functions below.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments, stringify } from "yaml";

type Value = unknown;
type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print" | "set"; readonly name?: string; readonly expression: Expression }
  | { readonly kind: "if"; readonly branches: readonly Branch[]; readonly otherwise: readonly Node[] }
  | {
      readonly kind: "range";
      readonly names: readonly string[];
      readonly of: Expression;
      readonly body: readonly Node[];
    };
interface Branch {
  readonly condition: Expression;
  readonly body: readonly Node[];
}
/** Calls of which each gets the result of the one before as its last argument. */
type Expression = readonly Call[];
type Call = readonly Term[];
type Term =
  | { readonly literal: Value }
  | { readonly variable: string | undefined; readonly path: readonly string[] }
  | { readonly name: string }
  | { readonly inner: Expression };

interface Tag {
  readonly text: string;
  readonly tag?: string;
}

/** A chart failed on purpose, by `fail`. */
export class ChartFailure extends Error {}

interface Scope {
  readonly dot: Value;
  readonly variables: Map<string, Value>;
  readonly templates: Map<string, readonly Node[]>;
}

/** What an installation is. */
export interface Release {
  readonly Name: string;
  readonly Namespace: string;
}

/** The chart's templates with these values laid over its own: objects, and the notes. */
export function renderChart(folder: string, given: object, release: Partial<Release> = {}) {
  const chart = parse(readFileSync(join(folder, "Chart.yaml"), "utf8"));
  const values = merged(parse(readFileSync(join(folder, "values.yaml"), "utf8")), given);
  const templates = new Map<string, readonly Node[]>();
  const files = readdirSync(join(folder, "templates")).toSorted();
  const bodies = files.map((file) => {
    const { nodes, defined } = parseTemplate(readFileSync(join(folder, "templates", file), "utf8"), file);
    for (const [name, body] of defined) templates.set(name, body);
    return { file, nodes };
  });
  const dot = {
    Files: { Get: (path: string) => readFileSync(join(folder, path), "utf8") },
    Values: values,
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: "guard", Namespace: "policy", Service: "Helm", ...release },
  };
  const texts = bodies.map(({ file, nodes }) => {
    const text = render(nodes, { dot, variables: new Map([["", dot]]), templates });
    return { file, text };
  });
  const objects = texts
    .filter(({ file }) => file.endsWith(".yaml"))
    .flatMap(({ file, text }) =>
      parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
        if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]?.message}\n${text}`);
        const object = document.toJS();
        return object === null ? [] : [object as KubernetesObject];
      }),
    );
  return { objects, notes: texts.find(({ file }) => file === "NOTES.txt")?.text ?? "" };
}

/** What every object has; the rest is checked by its kind. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the kind, which `object-schema.ts` checks.
  readonly spec?: any;
}

/** Values as helm merges them: maps by their keys, everything else as a whole. */
export function merged(base: Value, over: Value): Value {
  if (!isMap(base) || !isMap(over)) return over === undefined ? base : over;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, merged(base[key], over[key])]));
}

function isMap(value: Value): value is Record<string, Value> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Parsing

function parseTemplate(source: string, file: string) {
  const tags = split(source);
  const defined = new Map<string, readonly Node[]>();
  let at = 0;
  const block = (ends: readonly string[]): { nodes: Node[]; end: string } => {
    const nodes: Node[] = [];
    for (;;) {
      const next = tags[at++];
      if (next === undefined) {
        if (ends.length > 0) throw new Error(`${file}: ${ends.join(" or ")} is missing`);
        return { nodes, end: "" };
      }
      if (next.tag === undefined) {
        nodes.push({ kind: "text", text: next.text });
        continue;
      }
      const { tag } = next;
      const [word = ""] = tag.split(" ", 1);
      if (ends.includes(word)) return { nodes, end: tag };
      const rest = tag.slice(word.length).trim();
      if (word === "define") defined.set(JSON.parse(rest), block(["end"]).nodes);
      else if (word === "if") nodes.push(branches(rest));
      else if (word === "range") nodes.push(range(rest));
      else if (word === "end" || word === "else") throw new Error(`${file}: ${word} without a beginning`);
      else nodes.push(statement(tag));
    }
  };
  const branches = (condition: string): Node => {
    const found: Branch[] = [];
    let current = condition;
    for (;;) {
      const { nodes, end } = block(["end", "else"]);
      found.push({ condition: parseExpression(current), body: nodes });
      if (end === "end") return { kind: "if", branches: found, otherwise: [] };
      if (end === "else") return { kind: "if", branches: found, otherwise: block(["end"]).nodes };
      current = end.replace(/^else if /, "");
    }
  };
  const range = (rest: string): Node => {
    const [, names, of = ""] = /^(?:(\$\w+(?:, \$\w+)?) := )?(.*)$/.exec(rest) ?? [];
    const list = names?.split(", ").map((name) => name.slice(1)) ?? [];
    return { kind: "range", names: list, of: parseExpression(of), body: block(["end"]).nodes };
  };
  return { nodes: block([]).nodes, defined };
}

function statement(tag: string): Node {
  const [, name, expression] = /^\$(\w+) :?= (.*)$/s.exec(tag) ?? [];
  if (name !== undefined && expression !== undefined) {
    return { kind: "set", name, expression: parseExpression(expression) };
  }
  return { kind: "print", expression: parseExpression(tag) };
}

/** Text and tags in turn; a dash inside the braces takes the space on its side. */
function split(source: string): Tag[] {
  const tags: Tag[] = [];
  let rest = source;
  let trims = false;
  for (;;) {
    const found = /\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/.exec(rest);
    const before = found === null ? rest : rest.slice(0, found.index);
    const text = trims ? before.trimStart() : before;
    if (found === null) return [...tags, { text }];
    tags.push({ text: found[1] === "-" ? text.trimEnd() : text }, { text: "", tag: found[2] ?? "" });
    trims = found[3] === "-";
    rest = rest.slice(found.index + found[0].length);
  }
}

const token = /\s*("(?:[^"\\]|\\.)*"|\d+|\(|\)|\||\$?[\w]*(?:\.\w+)*\.?|\S)/y;

function parseExpression(text: string): Expression {
  const tokens: string[] = [];
  token.lastIndex = 0;
  const source = text.trim();
  while (token.lastIndex < source.length) {
    const found = token.exec(source);
    if (found?.[1] === undefined || found[1] === "") throw new Error(`what is this? ${source}`);
    tokens.push(found[1]);
  }
  let at = 0;
  const pipe = (): Expression => {
    const calls: Call[] = [];
    let call: Term[] = [];
    for (; at < tokens.length && tokens[at] !== ")"; at++) {
      const part = tokens[at] ?? "";
      if (part === "|") {
        calls.push(call);
        call = [];
      } else if (part === "(") {
        at++;
        call.push({ inner: pipe() });
      } else call.push(term(part));
    }
    return [...calls, call];
  };
  return pipe();
}

function term(part: string): Term {
  if (/^("|\d)/.test(part)) return { literal: JSON.parse(part) };
  if (part === "true" || part === "false") return { literal: part === "true" };
  if (part === ".") return { variable: undefined, path: [] };
  if (part.startsWith(".")) return { variable: undefined, path: part.slice(1).split(".") };
  if (part.startsWith("$")) {
    const [variable = "", ...path] = part.slice(1).split(".");
    return { variable, path };
  }
  if (/^\w+$/.test(part)) return { name: part };
  throw new Error(`outside of the part of the language that the chart keeps to: ${part}`);
}

// Rendering

function render(nodes: readonly Node[], scope: Scope): string {
  return nodes.map((node) => renderNode(node, scope)).join("");
}

function renderNode(node: Node, scope: Scope): string {
  switch (node.kind) {
    case "text":
      return node.text;
    case "print":
      return printed(evaluate(node.expression, scope));
    case "set":
      scope.variables.set(node.name ?? "", evaluate(node.expression, scope));
      return "";
    case "if": {
      const taken = node.branches.find(({ condition }) => isTrue(evaluate(condition, scope)));
      return render(taken?.body ?? node.otherwise, scope);
    }
    case "range":
      return entriesOf(evaluate(node.of, scope))
        .map(([key, value]) => {
          const [first, second] = node.names;
          if (second !== undefined) scope.variables.set(first ?? "", key).set(second, value);
          else if (first !== undefined) scope.variables.set(first, value);
          return render(node.body, { ...scope, dot: value });
        })
        .join("");
  }
}

/** Maps come in the order of their keys, as in Go's templates. */
function entriesOf(value: Value): [Value, Value][] {
  if (Array.isArray(value)) return [...value.entries()];
  if (isMap(value)) return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (value === undefined || value === null) return [];
  throw new Error(`not to be ranged over: ${JSON.stringify(value)}`);
}

function evaluate(expression: Expression, scope: Scope): Value {
  let result: Value;
  for (const [index, call] of expression.entries()) {
    const [head, ...others] = call;
    if (head === undefined) throw new Error("an empty expression");
    if (!("name" in head)) {
      const worth = worthOf(head, scope);
      if (typeof worth === "function") {
        result = worth(...others.map((each) => worthOf(each, scope)));
        continue;
      }
      if (others.length > 0 || index > 0) throw new Error("a value is no function");
      result = worth;
      continue;
    }
    const given = others.map((each) => worthOf(each, scope));
    result = apply(head.name, index === 0 ? given : [...given, result], scope);
  }
  return result;
}

function worthOf(each: Term, scope: Scope): Value {
  if ("literal" in each) return each.literal;
  if ("inner" in each) return evaluate(each.inner, scope);
  if ("name" in each) return apply(each.name, [], scope);
  if (each.variable !== undefined && !scope.variables.has(each.variable))
    throw new Error(`no variable $${each.variable}`);
  let value = each.variable === undefined ? scope.dot : scope.variables.get(each.variable);
  for (const key of each.path) {
    // Stricter than helm, which prints nothing for a value that does not exist.
    if (!isMap(value) || !(key in value)) throw new Error(`.${each.path.join(".")} does not exist`);
    value = value[key];
  }
  return value;
}

function apply(name: string, given: readonly Value[], scope: Scope): Value {
  const [first, second] = given;
  switch (name) {
    case "include": {
      const body = scope.templates.get(String(first));
      if (body === undefined) throw new Error(`no template ${first}`);
      return render(body, { ...scope, dot: second, variables: new Map([["", second]]) });
    }
    case "fail":
      throw new ChartFailure(String(first));
    case "quote":
      return JSON.stringify(printed(first));
    case "toYaml":
      return stringify(first).trimEnd();
    case "nindent":
      return `\n${String(second).replace(/^(?=.)/gm, " ".repeat(Number(first)))}`;
    case "printf":
      return given.slice(1).reduce<string>((text, value) => text.replace("%s", printed(value)), String(first));
    case "eq":
      return given.slice(1).includes(first);
    case "gt":
      return Number(first) > Number(second);
    case "int":
      return Math.trunc(Number(first));
    case "not":
      return !isTrue(first);
    case "and":
      return given.find((value) => !isTrue(value)) ?? given.at(-1);
    case "or":
      return given.find(isTrue) ?? given.at(-1);
    case "dict":
      return Object.fromEntries(given.flatMap((key, i) => (i % 2 === 0 ? [[key, given[i + 1]]] : [])));
    case "list":
      return given;
    case "append":
      return [...(first as readonly Value[]), second];
    default:
      throw new Error(`outside of the part of the language that the chart keeps to: ${name}`);
  }
}

function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

function printed(value: Value): string {
  if (isMap(value) || Array.isArray(value)) throw new Error("a map or a list is printed by toYaml");
  return value === undefined || value === null ? "" : String(value);
}
