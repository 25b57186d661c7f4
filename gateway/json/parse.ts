// Reads JSON text strictly (RFC 8259, and I-JSON, RFC 7493, where that is stricter): JSON.parse checks the syntax, then
// one scan of the text finds the mistakes that JSON.parse accepts: duplicate keys, unpaired surrogates, and unlimited
// nesting.

import type { JsonValue } from "@bufbuild/protobuf";
import { malformedRequest } from "../../src/kit/fault/fault.ts";
import { withoutHalves } from "../../src/kit/protobuf/surrogate.ts";

/**
 * Deepest nesting of objects and arrays in a body. Protobuf decoders stop at 100 nested messages, and a level of
 * arbitrary JSON takes two (Struct or ListValue, and Value); 40 leaves room for the messages around it, in answers too.
 */
export const maxJsonDepth = 40;

/** How JSON text is read. */
export interface JsonTextOptions {
  /**
   * Keys of the outermost object whose strings are segments of a text, and so may begin or end within a surrogate pair.
   */
  readonly cutTexts?: readonly string[];
  /** The same for keys of objects at any depth. */
  readonly deepCutTexts?: readonly string[];
}

/**
 * The value of a JSON text. Throws malformed_request for bad syntax, duplicate keys, unpaired surrogates, deep nesting.
 */
export function parseJson(text: string, options: JsonTextOptions = {}): JsonValue {
  // RFC 8259, section 8.1: nobody may send one. Some editors and shells write one into their files.
  if (text.startsWith("\uFEFF")) {
    throw malformedRequest("not valid JSON: it begins with a byte order mark (U+FEFF); send UTF-8 without one");
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformedRequest(`not valid JSON: ${syntaxMessage(error)}`);
  }
  scan(text, options);
  return value;
}

/** V8 quotes the text around the mistake; the caller gets the position only, since a body may hold secrets. */
function syntaxMessage(error: unknown): string {
  const position = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  return position === undefined ? "unexpected end or character" : `unexpected character at position ${position}`;
}

/** One open object (its keys so far) or array (undefined). */
type Level = Keys | undefined;

/** Walks over text that is known to be valid JSON. */
function scan(text: string, { cutTexts = [], deepCutTexts = [] }: JsonTextOptions): void {
  const levels: Level[] = [];
  let [outermostKey, lastKey] = ["", ""];
  const hasEscapes = text.includes("\\");
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x7b: // {
        open(levels, new Keys());
        break;
      case 0x5b: // [
        open(levels, undefined);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop();
        break;
      case 0x22: {
        const end = hasEscapes ? stringEnd(text, i) : text.indexOf('"', i + 1);
        const keys = levels[levels.length - 1];
        const key = keys !== undefined && isKey(text, end) ? decode(text, i, end) : undefined;
        if (key !== undefined) keys?.add(key);
        if (key !== undefined) lastKey = key;
        if (key !== undefined && levels.length === 1) outermostKey = key;
        const isCutText = deepCutTexts.includes(lastKey) || (levels.length === 1 && cutTexts.includes(outermostKey));
        const mayBeCut = key === undefined && isCutText;
        if (hasEscapes) checkString(text, i, end, mayBeCut);
        i = end;
        break;
      }
    }
  }
}

function open(levels: Level[], level: Level): void {
  levels.push(level);
  if (levels.length > maxJsonDepth) throw malformedRequest(`nested deeper than ${maxJsonDepth} levels`);
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

/** Whether a colon follows the string that ends here. */
function isKey(text: string, end: number): boolean {
  for (let i = end + 1; ; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return unit === 0x3a;
  }
}

/** Up to this number of keys, comparing each with each is faster than a set. */
const fewKeys = 8;

/** The keys of one object. Most have few. */
class Keys {
  readonly #first: string[] = [];
  #all: Set<string> | undefined;

  /** Throws malformed_request for a key that is there already. */
  add(key: string): void {
    if (this.#all === undefined ? this.#first.includes(key) : this.#all.has(key)) {
      throw malformedRequest(`the key ${JSON.stringify(key.slice(0, 64))} appears twice in one object`);
    }
    if (this.#all !== undefined) this.#all.add(key);
    else if (this.#first.push(key) > fewKeys) this.#all = new Set(this.#first);
  }
}

// The text was decoded from valid UTF-8, so an unpaired surrogate can only come from an escape.
function checkString(text: string, start: number, end: number, mayBeCut: boolean): void {
  if (!text.slice(start, end).includes("\\u")) return;
  const value = decode(text, start, end);
  if (!(mayBeCut ? withoutHalves(value).whole : value).isWellFormed()) {
    throw malformedRequest(`the string at position ${start} has an unpaired surrogate`);
  }
}

function decode(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end);
  if (!inner.includes("\\")) return inner;
  const value: string = JSON.parse(text.slice(start, end + 1));
  return value;
}
