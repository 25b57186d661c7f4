// What may differ between two runs of one version is replaced, so that whatever else differs is a difference of the
// versions:
// - ids, tokens, fingerprints, keyed hashes and digests that depend on ids: by their kind and a number within the
// record, the same value
//   by the same number;
// - times, latencies, ports, process ids and folders: by their kind;
// - messages for people, unless they are asked for.

import { isObject, type Json } from "./json.ts";

/** What is left in place. */
export interface Normalization {
  /** Whether the words of messages count. */
  readonly hasMessages: boolean;
  /** Whether ids, digests and times count, since both look at the same data. */
  readonly isSameData?: boolean;
}

const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["uuid", /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g],
  ["token", /\bgr_(?:adm|ci|rt)_[A-Za-z0-9]+/g],
  ["hmac", /\bhmac:[0-9a-f]{32}\b/g],
  ["hash", /(?<=\[[A-Z_]+:)[0-9a-f]{8}(?=\])/g],
  ["time", /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g],
  ["port", /(?<=\b(?:127\.0\.0\.1|localhost):)\d{4,5}\b/g],
];
const portsOnly = kinds.filter(([kind]) => kind === "port");
const costs = /(?:_us|_ms|_bytes|Us|Ms)$/;
const messages = /^(?:message|suggestion|hint)$/;

/** Texts of this run, such as the folder of a checkout, and what stands for them. */
export type Places = readonly (readonly [text: string, shown: string])[];

/** The value with everything replaced that may differ. */
export function normalized(value: Json, { hasMessages, isSameData = false }: Normalization, places: Places = []): Json {
  const numbers = new Map<string, string>();
  const numbered = (kind: string, text: string): string => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    const shown = `<${kind} ${numbers.size + 1}>`;
    numbers.set(text, shown);
    return shown;
  };
  const textOf = (text: string): string => {
    let shown = text;
    for (const [kind, pattern] of isSameData ? portsOnly : kinds) {
      shown = shown.replace(pattern, (found) =>
        kind === "time" || kind === "port" ? `<${kind}>` : numbered(kind, found),
      );
    }
    for (const [place, name] of places) shown = shown.replaceAll(place, name);
    return shown;
  };
  const walk = (item: Json, name: string): Json => {
    if (typeof item === "string") {
      if (/^kids?$/.test(name)) return isSameData ? item : numbered("kid", item);
      if (name === "last_used_at") return "<time>";
      if (!hasMessages && messages.test(name)) return "<message>";
      return !isSameData && (name === "digest" || name === "content_digest") ? numbered("digest", item) : textOf(item);
    }
    // A cost that was not measured is null.
    if (costs.test(name) && (item === null || typeof item === "number")) return "<cost>";
    if (Array.isArray(item)) return item.map((member) => walk(member, name));
    if (!isObject(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, member]) => [textOf(key), walk(member, key)]));
  };
  return walk(value, "");
}
