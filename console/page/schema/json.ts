import type { JsonObject } from "@bufbuild/protobuf";
import type { EditorProblem } from "../../editor/problem.ts";
import { en } from "../../text/en.ts";

/** A schema as somebody types it: what it says, or what keeps it from being JSON. */
export function parseSchema(
  text: string,
): { readonly schema: JsonObject; readonly problem?: undefined } | { readonly problem: EditorProblem } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { schema: value as JsonObject };
    return { problem: { line: 1, column: 1, text: en.schemas.noObject, isWarning: false } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: { ...placeOf(text), text: message, isWarning: false } };
  }
}

/** Where a text stops being JSON; engines say it in words of their own, or not at all. */
function placeOf(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, faultOffset(text)).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const scalar = [
  // Of C0, strings have none; U+007F and above are ordinary to JSON.
  String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"`,
  String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])`,
  String.raw`(?:true|false|null)\b`,
].join("|");
const token = new RegExp(String.raw`\s*(?:(${scalar})|([{}[\],:]))`, "y");

/** The offset of the first token that cannot stand where it stands (RFC 8259). */
function faultOffset(text: string): number {
  /** What is open, innermost last, and what may follow. */
  const open: ("{" | "[")[] = [];
  let next: Expected = "value";
  token.lastIndex = 0;
  for (;;) {
    const from = token.lastIndex;
    const [whole = "", plain, sign] = token.exec(text) ?? [];
    const at = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);
    const after: Expected | undefined = whole === "" ? undefined : follow(next, plain ?? sign ?? "", open);
    if (after === undefined) return at;
    next = after;
  }
}

type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing";

/** What may follow the token; undefined when the token itself may not stand here. */
function follow(expected: Expected, found: string, open: ("{" | "[")[]): Expected | undefined {
  const isKey = expected.startsWith("key");
  if (expected.endsWith("or end") && found === (open.at(-1) === "{" ? "}" : "]")) {
    open.pop();
    return open.length === 0 ? "nothing" : "comma or end";
  }
  if (isKey) return found.startsWith('"') ? "colon" : undefined;
  if (expected === "colon") return found === ":" ? "value" : undefined;
  if (expected === "comma or end") return found === "," ? (open.at(-1) === "{" ? "key" : "value") : undefined;
  if (expected === "nothing" || /^[}\],:]/.test(found)) return undefined;
  if (found !== "{" && found !== "[") return open.length === 0 ? "nothing" : "comma or end";
  open.push(found);
  return found === "{" ? "key or end" : "value or end";
}
