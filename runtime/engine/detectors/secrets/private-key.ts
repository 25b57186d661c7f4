// Private keys in their textual encoding (RFC 7468), also when line ends are written as "\n" in a string.

import type { Trigger } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { isPlaceholder } from "./placeholder.ts";

const header = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY$/;
const maxHeaderLength = 64;
const maxFooterLength = 54;
const maxKeyLength = 16_384;
const minBody = 40;

/** Examines the text after every "PRIVATE KEY". */
export const privateKeyTrigger: Trigger = { literal: "PRIVATE KEY", locate: locateKey, open: openKey };

function locateKey(text: string, end: number): Finding | undefined {
  const from = Math.max(0, end - maxHeaderLength);
  const begin = header.exec(text.slice(from, end));
  if (begin === null) return undefined;
  const rest = /^(?: BLOCK)?-----/.exec(text.slice(end, end + 11))?.[0];
  if (rest === undefined) return undefined;
  const bodyFrom = end + rest.length;
  const window = text.slice(bodyFrom, bodyFrom + maxKeyLength);
  // A further header ends the text that may belong to this one, which also keeps rows of headers cheap.
  const nextKey = window.indexOf("-----BEGIN");
  const following = nextKey < 0 ? window : window.slice(0, nextKey);
  const footer = /-----END [A-Z0-9 ]{0,40}-----/.exec(following);
  // Without a footer, the key continues as long as the text could be one.
  const body =
    footer === null ? (/^[A-Za-z0-9+/=\s\\:,.-]*/.exec(following)?.[0] ?? "") : following.slice(0, footer.index);
  const letters = body.replace(/\\[nr]|[^A-Za-z0-9+/]/g, "");
  if (letters.length < minBody || isPlaceholder(letters.slice(0, 200))) return undefined;
  const length = footer === null ? body.trimEnd().length : footer.index + footer[0].length;
  const attributes = { basis: footer === null ? "header and body" : "header, body and footer" };
  const start = from + begin.index;
  return { category: "secrets.private_key", start, end: bodyFrom + length, score: 0.99, attributes };
}

const beginning = "-----BEGIN";
const partialHeader = /-{1,5}$|-----B(?:E(?:G(?:I)?)?)?$/;

// The last header is open as long as its key may continue. A further header ends the one before it.
function openKey(text: string, from: number, seen = 0): number {
  const at = lastHeader(text, from, seen);
  const isRecent = at > text.length - maxKeyLength - 2 * maxHeaderLength;
  if (isRecent && !/-----END [A-Z0-9 ]{0,40}-----/.test(text.slice(Math.max(at, seen - maxFooterLength)))) return at;
  const partial = partialHeader.exec(text.slice(Math.max(from, text.length - beginning.length)));
  return partial === null ? text.length : text.length - partial[0].length;
}

// An earlier open header begins at `from`.
function lastHeader(text: string, from: number, seen: number): number {
  const start = Math.max(from, seen - beginning.length);
  const at = text.slice(start).lastIndexOf(beginning);
  if (at >= 0) return start + at;
  return text.startsWith(beginning, from) ? from : Number.NEGATIVE_INFINITY;
}
