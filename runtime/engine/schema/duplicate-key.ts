// Finds keys that a JSON text has twice in one object. JSON.parse keeps the last value; another parser may keep the
// first one, which was never checked.

import type { JsonValue } from "@bufbuild/protobuf";

/**
 * Whether an object of the text has a key twice. `value` is the result of JSON.parse. Linear in the length of the text,
 * recursive in the depth of the value.
 */
export function hasDuplicateKey(text: string, value: JsonValue): boolean {
  return keysIn(text) > keysOf(value);
}

/** The number of keys that the text contains: strings followed by a colon. */
function keysIn(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = stringEnd(text, start);
    let next = end + 1;
    while (" \n\r\t".includes(text.charAt(next)) && next < text.length) next++;
    if (text.charAt(next) === ":") count++;
    start = text.indexOf('"', next);
  }
  return count;
}

function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charAt(first - 1) === "\\") first--;
  return (index - first) % 2 === 1;
}

function keysOf(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  const members = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) count += keysOf(member);
  return count;
}
