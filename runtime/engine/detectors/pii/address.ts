// Internet addresses: IPv4 (RFC 791, dotted decimal), IPv6 (RFC 4291 section 2.2) and web addresses (RFC 3986) in
// running text.

import type { Trigger } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { continuesCode } from "./border.ts";

/** The category of IP addresses. */
export const ipCategory = "pii.ip";
/** The category of web addresses. */
export const urlCategory = "pii.url";

const ipRun = /[0-9A-Fa-f.:]{2,}/g;
const maxIpLength = 45;
/** Maximum length of an address with the text that follows it in its run; a longer run is not an address. */
const maxRunLength = 64;
const maxUrlLength = 2048;

/** Finds IPv4 and IPv6 addresses. */
export function findIps(text: string): Finding[] {
  const findings: Finding[] = [];
  for (const match of text.matchAll(ipRun)) {
    if (match[0].length > maxRunLength) continue;
    const run = match[0].replace(/[.:]+$/, (tail) => (tail.startsWith("::") ? "::" : ""));
    if (run.length > maxIpLength || continuesCode.test(text[match.index - 1] ?? "")) continue;
    if (continuesCode.test(text[match.index + match[0].length] ?? "")) continue;
    const address = addressIn(run, text, match.index);
    if (address === undefined) continue;
    const version = address.includes(":") ? "6" : "4";
    findings.push({
      category: ipCategory,
      start: match.index,
      end: match.index + address.length,
      score: 0.9,
      attributes: { version, basis: "form" },
    });
  }
  return findings;
}

function addressIn(run: string, text: string, at: number): string | undefined {
  const plain = withoutPort(run);
  if (isIpv4(plain)) return isVersion(text, at, at + plain.length) ? undefined : plain;
  if (run === "::") return isUnspecified(text, at) ? run : undefined;
  return isIpv6(run) ? run : undefined;
}

// Version numbers and section numbers have four parts too: a word for them precedes the number or its list, or the kind
// of release follows.
function isVersion(text: string, start: number, end: number): boolean {
  if (releaseKind.test(text.slice(end, end + 12))) return true;
  return numberedThing.test(text.slice(Math.max(0, start - maxNumberingLength), start));
}

const maxNumberingLength = 48;
const releaseKind = /^(?:[-+](?:alpha|beta|rc|pre|dev|snapshot|final|ga|nightly|preview|hotfix)| firmware(?!\p{L}))/iu;
const numberedThing =
  /(?:version|versi[oó]n|vers[aã]o|versione|wersja|верси[яию]|версія|sürüm|版本|バージョン|버전|(?<!\p{L})(?:ver|build|assembly|firmware|driver|revision|os|ios|ipados|macos|kernel|oid|sections?|clauses?|chapters?|articles?|annex|appendix|paragraphs?|abschnitt|kapitel|ziffer|chapitre|cap[ií]tulo|capitolo|sección|sezione|seção)|§)\w{0,8}["')\]]{0,2}[\s:=>("'#.]{0,4}(?:\d+(?:\.\d+){1,4}(?:,|;| and| or| to| und| et| y| e| –| -) ){0,3}$|[\w\]]={2}$/iu;

// The unspecified address is also an operator of many languages: it counts only when it stands alone, or words identify
// it.
function isUnspecified(text: string, at: number): boolean {
  const isAlone = /^[\s="'(]?$/.test(text[at - 1] ?? "") && /^[\s"'),;]?$/.test(text[at + 2] ?? "");
  return (
    isAlone &&
    /(?:\b(?:ip(?:v6)?|addr(?:ess)?|src|dst|bind|listen|host|unspecified)\b)[^\n]{0,12}$/i.test(
      text.slice(Math.max(0, at - 24), at),
    )
  );
}

function withoutPort(run: string): string {
  return run.replace(/:\d{1,5}$/, "");
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

// "a::b" is a path in several languages, so an address needs a digit.
function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2 || !/\d/.test(text) || !text.includes(":")) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? "";
  const embedded = isIpv4(last);
  const plain = embedded ? groups.slice(0, -1) : groups;
  const count = plain.length + (embedded ? 2 : 0);
  return (
    plain.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group)) &&
    (halves.length === 2 ? count < 8 && count > 0 : count === 8)
  );
}

/** Examines the text around every "://" and "www.", and before the endings of bare names. */
export const urlTriggers: readonly Trigger[] = [
  { literal: "://", locate: (text, end) => locateUrl(text, schemeStart(text, end - 3), end) },
  {
    literal: "www.",
    locate: (text, end) => (/[A-Za-z0-9_.@-]/.test(text[end - 5] ?? "") ? undefined : locateUrl(text, end - 4, end)),
  },
  ...[".com", ".org", ".co."].map((literal) => ({ literal, locate: locateBare })),
];

const maxNameLength = 253;
const bareName = /(?<![A-Za-z0-9_@/:.\\$%-])(?:[a-z0-9](?:[a-z0-9-]{0,62}\.)){1,4}$/i;

// A name without a scheme gets a lower score, since it may be the name of a company.
function locateBare(text: string, end: number): Finding | undefined {
  const dot = text.lastIndexOf(".", text[end - 1] === "." ? end - 2 : end - 1);
  const name = bareName.exec(text.slice(Math.max(0, dot + 1 - maxNameLength), dot + 1))?.[0];
  if (name === undefined) return undefined;
  const start = dot + 1 - name.length;
  const rest = /^(?:com|org|co)(?:\.[a-z]{2})?(?![A-Za-z0-9_@-]|\.[A-Za-z0-9])/i.exec(
    text.slice(dot + 1, dot + 9),
  )?.[0];
  if (rest === undefined || rest.toLowerCase() === "co" || text[dot + 1 + rest.length] === "(") return undefined;
  const path = /^(?:\/[^\s<>"`{}|\\^]*)?/.exec(text.slice(dot + 1 + rest.length, dot + 1 + maxUrlLength))?.[0] ?? "";
  const tail = withoutTrailing(rest + path);
  return {
    category: urlCategory,
    start,
    end: dot + 1 + tail.length,
    score: 0.5,
    attributes: { domain: (name + rest).toLowerCase(), basis: "form of a host name" },
  };
}

function schemeStart(text: string, colon: number): number {
  const scheme = /(?:https?|ftps?|wss?)$/i.exec(text.slice(Math.max(0, colon - 5), colon));
  if (scheme === null) return -1;
  const start = colon - scheme[0].length;
  return /[A-Za-z0-9_]/.test(text[start - 1] ?? "") ? -1 : start;
}

function locateUrl(text: string, start: number, hostFrom: number): Finding | undefined {
  if (start < 0) return undefined;
  const rest =
    /^[^\s<>"`{}|\\^\u3000-\u303f\uff00-\uffef]+/u.exec(text.slice(hostFrom, hostFrom + maxUrlLength))?.[0] ?? "";
  const tail = withoutTrailing(rest);
  const host = /^(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]+)/.exec(tail)?.[1]?.toLowerCase() ?? "";
  if (!isLiteralAddress(host) && !/^(?:localhost|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+)$/u.test(host)) return undefined;
  const domain = text.startsWith("www.", hostFrom - 4) && start === hostFrom - 4 ? `www.${host}` : host;
  return {
    category: urlCategory,
    start,
    end: hostFrom + tail.length,
    score: 0.95,
    attributes: { domain, basis: "form" },
  };
}

/** Whether a host is an IPv6 address in brackets (RFC 3986, section 3.2.2). */
function isLiteralAddress(host: string): boolean {
  return host.startsWith("[") && host.endsWith("]") && isIpv6(host.slice(1, -1));
}

// Punctuation at the end belongs to the sentence, as does a bracket that was opened before the address.
function withoutTrailing(text: string): string {
  let end = text.length;
  const literalEnd = /^(?:[^/?#@[]*@)?\[[0-9A-Fa-f:.]*\]/.exec(text)?.[0].length ?? 0;
  let open = [...text].reduce((balance, char) => balance + (char === "(" ? 1 : char === ")" ? -1 : 0), 0);
  for (; end > literalEnd; end--) {
    const char = text[end - 1] ?? "";
    if (char === ")" && open < 0) open++;
    else if (!/[.,;:!?'*\]]/.test(char)) break;
  }
  return text.slice(0, end);
}
