// Judges a single link: where it leads, and what it carries.

import { foreignLookalikes } from "../../text/confusables.ts";
import type { Finding } from "../finding.ts";
import { fromPunycode } from "./punycode.ts";

/** A link in a text. */
export interface Link {
  readonly start: number;
  readonly end: number;
  /** The text after "://". */
  readonly rest: string;
  /** The text before it. */
  readonly before: string;
  /** Whether a placeholder follows, as in "?q={conversation}". */
  readonly isTemplate: boolean;
}

/** Hosts that are allowed (all when absent) and hosts that are denied. */
export interface HostLists {
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
}

const dataNames =
  /^(?:q|d|s|data|payload|secret|msg|message|text|content|conversation|history|chat|prompt|context|info|leak|exfil|token|key|password|pwd|email|user|summary|log|dump|body|c|x|p)$/i;
/** Parameter names that indicate carried data; keys, tokens and searches use other names. */
const tellingNames = /^(?:d|data|payload|secret|conversation|history|chat|prompt|context|leak|exfil|dump)$/i;
const opaqueData = 48;
/** Parameter names of pictures that are drawn on demand, and of searches. */
const captionNames = /^(?:q|query|search|title|subtitle|caption|heading|alt|label|name|slug)$/i;
const sentence = /^(?:[^+%_-]{1,24}(?:\+|%20|[_-])){5,64}[^+%_-]{1,24}/;
const longData = 24;
const veryLongData = 120;

/** The most severe finding about a link; undefined when there is none. */
export function judgeLink(link: Link, { allow, deny }: HostLists): Finding | undefined {
  const authority = /^[^/?#]*/.exec(link.rest)?.[0] ?? "";
  const host = authority
    .slice(authority.lastIndexOf("@") + 1)
    .replace(/:\d*$/, "")
    .toLowerCase();
  if (host === "") return undefined;
  const finding = (name: string, score: number, basis: string): Finding => ({
    ...{ category: `url.${name}`, start: link.start, end: link.end, score },
    attributes: { domain: host, basis },
  });
  if (isListed(host, deny)) return finding("denied", 1, "host that is denied");
  if (allow !== undefined && isListed(host, allow)) return undefined;
  const isImage = /!\[[^\]]{0,200}\]\(\s{0,3}<?$|<img\b[^>]{0,200}\bsrc\s{0,3}=\s{0,3}["']?$/i.test(link.before);
  const carried = carriedBy(link) ?? (isImage ? carriedByHost(host) : undefined);
  if (carried !== undefined && (isImage || carried.score >= 0.6))
    return finding(
      "exfiltration",
      isImage ? 0.95 : carried.score,
      isImage ? `image with ${carried.basis}` : carried.basis,
    );
  if (allow !== undefined) return finding("not_allowed", 1, "host that is not allowed");
  const disguise = disguiseOf(host, authority);
  if (disguise !== undefined) return finding("suspicious", disguise.score, disguise.basis);
  return isImage ? finding("image", 0.4, "image of another host") : undefined;
}

function isListed(host: string, list: readonly string[]): boolean {
  return list.some((entry) => host === entry.toLowerCase() || host.endsWith(`.${entry.toLowerCase()}`));
}

const foreign = /[\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{sc=Cher}]/u;

interface Suspicion {
  readonly score: number;
  readonly basis: string;
}

function carriedBy({ rest, isTemplate }: Link): Suspicion | undefined {
  if (isTemplate) return { score: 0.7, basis: "a place to fill in with data" };
  const query = rest.slice(rest.indexOf("?") + 1);
  if (query === rest) return undefined;
  for (const part of query.split(/[&;]/).slice(0, 32)) {
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(0, at));
    const value = part.slice(at + 1);
    if (value.length >= longData && isEncodedText(value)) return { score: 0.8, basis: "encoded text in its query" };
    if (tellingNames.test(name) && value.length >= opaqueData && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value))
      return { score: 0.6, basis: "opaque data in its query" };
    if (dataNames.test(name) && value.length >= veryLongData) return { score: 0.6, basis: "much data in its query" };
    if (!captionNames.test(name) && sentence.test(value)) return { score: 0.4, basis: "a sentence in its query" };
    if (dataNames.test(name) && value.length >= longData) return { score: 0.4, basis: "data in its query" };
  }
  return undefined;
}

// Looking up a host name sends it to whoever answers for its domain.
function carriedByHost(host: string): Suspicion | undefined {
  return host.split(".").some((label) => /^[a-z0-9]{32,63}$/.test(label)) && !host.endsWith(".onion")
    ? { score: 0.4, basis: "a long name in its host" }
    : undefined;
}

function isEncodedText(value: string): boolean {
  const plain = value.replace(/%3D/gi, "=");
  if (!/^[A-Za-z0-9+/_-]{24,}={0,2}$/.test(plain)) return false;
  const text = Buffer.from(plain, /^(?:[0-9a-f]{2})+$/i.test(plain) ? "hex" : "base64").toString("latin1");
  return /^[\x20-\x7e\r\n\t]{12,}$/.test(text) && /[a-z]{3}/i.test(text);
}

function disguiseOf(host: string, authority: string): Suspicion | undefined {
  if (authority.includes("@") && /^[^@]*\.[a-z]{2,}/i.test(authority))
    return { score: 0.85, basis: "another host before the @" };
  if (/^(?:0x[0-9a-f]+|\d{8,10}|0\d+(?:\.\d+){3}|(?:0x[0-9a-f]+|\d+)(?:\.0x[0-9a-f]+){1,3})$/i.test(host))
    return { score: 0.9, basis: "address written as a number" };
  const shown = host
    .split(".")
    .map((label) => (label.startsWith("xn--") ? (fromPunycode(label.slice(4)) ?? label) : label));
  if (shown.some(isMixed)) return { score: 0.9, basis: "scripts are mixed in its host" };
  if (/^[a-z]+$/.test(shown.at(-1) ?? "") && shown.some(isPosing))
    return { score: 0.85, basis: "all letters of a name in its host look like Latin ones" };
  if (/(?:^|\.)xn--/.test(host)) return { score: 0.4, basis: "internationalised host" };
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) && !/^(?:127|10|192\.168)\./.test(host))
    return { score: 0.5, basis: "host is an address" };
  return undefined;
}

function isMixed(label: string): boolean {
  return /[a-z]/.test(label) && foreign.test(label);
}

// For example "аррӏе" in Cyrillic letters.
function isPosing(label: string): boolean {
  const letters = [...label].filter((char) => /\p{L}/u.test(char));
  return letters.length > 2 && letters.every((letter) => foreign.test(letter) && foreignLookalikes.has(letter));
}
