// Reads JSON text strictly (RFC 8259, and I-JSON, RFC 7493, where that is stricter): JSON.parse checks the syntax, one scan
// over the text then finds what JSON.parse lets pass: duplicate keys, unpaired surrogates, and nesting without bound.

import type { JsonValue } from "@bufbuild/protobuf";
import { malformedRequest } from "../src/kit/error.ts";

/**
 * Deepest nesting of objects and arrays in a body. Protobuf decoders stop at 100 nested messages, and a level of arbitrary
 * JSON takes two (Struct or ListValue, and Value); 40 leaves room for the messages around it, in answers too.
 */
export const maxJsonDepth = 40;

/** The value of a JSON text. Throws malformed_request for bad syntax, duplicate keys, unpaired surrogates, deep nesting. */
export function parseJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformedRequest(`the body is not valid JSON: ${syntaxMessage(error)}`);
  }
  scan(text);
  return value;
}

/** V8 quotes the text around the mistake; the caller gets the position only, since a body may hold secrets. */
function syntaxMessage(error: unknown): string {
  const position = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  return position === undefined ? "unexpected end or character" : `unexpected character at position ${position}`;
}

/** One open object (its keys so far) or array (undefined). */
type Level = Set<string> | undefined;

/** Walks over text that is known to be valid JSON. */
function scan(text: string): void {
  const levels: Level[] = [];
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x7b: // {
        open(levels, new Set());
        break;
      case 0x5b: // [
        open(levels, undefined);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop();
        break;
      case 0x22: {
        const end = stringEnd(text, i);
        checkString(text, i, end, levels.at(-1));
        i = end;
        break;
      }
    }
  }
}

function open(levels: Level[], level: Level): void {
  levels.push(level);
  if (levels.length > maxJsonDepth) throw malformedRequest(`the body nests deeper than ${maxJsonDepth} levels`);
}

/** Index of the quotation mark that closes the string which opens at `start`. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === 0x5c) first--;
  return (index - first) % 2 === 1;
}

const afterKey = /[ \t\n\r]*:/y;

function checkString(text: string, start: number, end: number, keys: Level): void {
  if (keys !== undefined) {
    afterKey.lastIndex = end + 1;
    if (afterKey.test(text)) addKey(keys, decode(text, start, end));
  }
  // The text was decoded from valid UTF-8, so an unpaired surrogate can only come from an escape.
  if (text.slice(start, end).includes("\\u") && !decode(text, start, end).isWellFormed()) {
    throw malformedRequest(`the string at position ${start} has an unpaired surrogate`);
  }
}

function addKey(keys: Set<string>, key: string): void {
  if (keys.has(key)) throw malformedRequest(`the key ${JSON.stringify(key.slice(0, 64))} appears twice in one object`);
  keys.add(key);
}

function decode(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end);
  if (!inner.includes("\\")) return inner;
  const value: string = JSON.parse(text.slice(start, end + 1));
  return value;
}
