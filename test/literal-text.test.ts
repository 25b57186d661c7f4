// All words of the console come from `console/text/`, so that a second language is a second module. This test reads
// every file with markup and refuses words that are written into it.

import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "vite";
import { expect, test } from "vitest";

/** What somebody sees or hears, as an attribute or as a property of what is given to a part, such as a column. */
const shownAnywhere = ["alt", "caption", "hint", "label", "placeholder", "text", "title"];
const shownProperties: ReadonlySet<string> = new Set([...shownAnywhere, "name"]);
const shownAttributes: ReadonlySet<string> = new Set([
  ...shownAnywhere,
  ...["aria-description", "aria-label", "aria-placeholder", "aria-roledescription", "aria-valuetext"],
  ...["deed", "fault", "lead", "none", "note", "summary", "why"],
]);
/** What is shown in these is code, such as a command: it is the same in every language. */
const code: ReadonlySet<string> = new Set(["code", "pre", "CopyText"]);

/** A node of the tree that the parser makes. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [part: string]: unknown;
}

const root = dirname(import.meta.dirname);
const files = globSync("console/**/*.tsx", { cwd: root }).toSorted();

test("no words are written into the markup of the console", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((file) => wordsIn(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test("words are seen wherever markup can have them", () => {
  const written = `<Part label="of Attributes" hint={isOn ? "of Choices" : texts.off} onDo={() => go("no text")}>
    of Markup <code>of code</code> {isOn && "of Conditions"} {\`of \${count("no text")} Templates\`} → {texts.on}
    <Table columns={[{ title: "of Columns", kind: "no text", cell: () => <>{"of " + "Sums"}</> }]} />
    <CopyText label="of Labels" text="of code" />
  </Part>`;
  const words = wordsIn("written.tsx", written).map((each) => each.slice("written.tsx:".length));
  expect(words).toEqual([
    ...["1 of Attributes", "1 of Choices", "2 of Markup", "2 of Conditions", "2 of", "2 Templates"],
    ...["3 of Columns", "3 of", "3 Sums", "4 of Labels"],
  ]);
});

/** The words in the markup of a file, with their places. */
function wordsIn(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`);
  return textsIn(program as unknown as Node) // a node like the others, of which only the parts are read
    .filter((text) => /\p{L}/u.test(textOf(text)))
    .toSorted((a, b) => a.start - b.start)
    .map((text) => `${file}:${lineOf(source, text)} ${textOf(text).trim()}`);
}

/** The line on which the text of a node begins. */
function lineOf(source: string, node: Node): number {
  const blank = source.slice(node.start).match(/^\s*/)?.[0] ?? "";
  return source.slice(0, node.start + blank.length).split("\n").length;
}

/** The texts that a tree shows. */
function textsIn(node: Node): Node[] {
  if (node.type === "JSXElement" && isCode(node)) {
    const attributes = nodesOf((node.openingElement as Node).attributes);
    return attributes.filter(({ name }) => nameOf(name) !== "text").flatMap(textsIn);
  }
  return [...shownBy(node), ...Object.values(node).flatMap(nodesOf).flatMap(textsIn)];
}

function isCode(element: Node): boolean {
  return code.has(nameOf((element.openingElement as Node).name));
}

/** What a node shows by itself, and not by the nodes in it. */
function shownBy(node: Node): Node[] {
  switch (node.type) {
    case "JSXText":
      return [node];
    case "JSXElement":
    case "JSXFragment":
      return nodesOf(node.children).filter(isType("JSXExpressionContainer")).flatMap(valuesOf);
    case "JSXAttribute":
      return shownAttributes.has(nameOf(node.name)) ? nodesOf(node.value).flatMap(valuesOf) : [];
    case "Property":
      return shownProperties.has(nameOf(node.key)) ? nodesOf(node.value).flatMap(valuesOf) : [];
    default:
      return [];
  }
}

/** The texts that an expression may be. */
function valuesOf(node: Node): Node[] {
  switch (node.type) {
    case "Literal":
      return typeof node.value === "string" ? [node] : [];
    case "TemplateLiteral":
      return [...nodesOf(node.quasis), ...nodesOf(node.expressions).flatMap(valuesOf)];
    case "JSXExpressionContainer":
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return nodesOf(node.expression).flatMap(valuesOf);
    case "ConditionalExpression":
      return nodesOf([node.consequent, node.alternate]).flatMap(valuesOf);
    case "BinaryExpression":
    case "LogicalExpression":
      return /^(?:\+|&&|\|\||\?\?)$/.test(String(node.operator))
        ? nodesOf([node.left, node.right]).flatMap(valuesOf)
        : [];
    default:
      return [];
  }
}

function textOf({ type, value }: Node): string {
  return type === "TemplateElement" ? (value as { cooked: string }).cooked : String(value);
}

/** What an identifier is called; the part after the colon or dot of a longer name is of no interest. */
function nameOf(part: unknown): string {
  const [node] = nodesOf(part);
  return String(node?.name ?? node?.value);
}

function isType(type: string): (node: Node) => boolean {
  return (node) => node.type === type;
}

function nodesOf(part: unknown): Node[] {
  return [part].flat().filter((each): each is Node => typeof (each as Node | null)?.type === "string");
}
