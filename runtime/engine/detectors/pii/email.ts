// E-mail addresses in running text: the practical part of RFC 5321 (section 4.1.2) and RFC 6531 (internationalised).
// Quoted local parts and address literals are left out, since they are syntax of mail headers rather than of prose.

import type { Trigger } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";

/** The category of e-mail addresses. */
export const emailCategory = "pii.email";

const maxLocalLength = 64;
const maxDomainLength = 253;
const maxLabelLength = 63;

const asciiLocal = /[A-Za-z0-9._%+'-]/;
const asciiLabel = /[A-Za-z0-9-]/;
/** Letters of scripts that write spaces between words: they may continue an address of ASCII letters. */
const spacedLetter = /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]/u;
const otherLetter = /[\p{L}\p{M}\p{N}]/u;
const fileEndings = new Set(
  "png jpg jpeg gif svg webp bmp ico pdf css js ts tsx jsx json html xml txt md py yml yaml".split(" "),
);
const commonEndings = new Set("com org net edu gov io de fr uk es it nl eu".split(" "));
const remoteAccounts = new Set(["git", "hg", "svn"]);

/** Examines the text around every "@", and every "%40", its form in web addresses. */
export const emailTriggers: readonly Trigger[] = ["@", "%40"].map((sign) => ({
  literal: sign,
  locate: (text, end) => locateEmail(text, end - sign.length, end),
  open: openEmail,
}));

const maxAddressLength = 320;
const addressUnit = /[A-Za-z0-9._%+'@-]|[^\0-\x7f]/;

// An address may begin in the last 64 units that can precede an "@"; one with an "@" may continue.
function openEmail(text: string, from: number): number {
  const { length } = text;
  const least = Math.max(0, from - maxLocalLength, length - maxAddressLength);
  let at = length;
  let edge = Math.max(from, length - maxLocalLength);
  while (at > least && addressUnit.test(text.charAt(at - 1))) {
    at--;
    if (text.charAt(at) === "@" || text.startsWith("%40", at))
      edge = Math.min(edge, Math.max(from, at - maxLocalLength));
  }
  return Math.max(from, Math.min(length, Math.max(edge, at)));
}

function locateEmail(text: string, at: number, signEnd: number): Finding | undefined {
  const start = localStart(text, at);
  if (start === at || text[start - 1] === "@" || isUserInfo(text, start)) return undefined;
  const domain = domainAt(text, signEnd);
  if (domain === "") return undefined;
  const end = signEnd + domain.length;
  if (text[end] === ":" && remoteAccounts.has(text.slice(start, at))) return undefined;
  return {
    category: emailCategory,
    start,
    end,
    score: 0.99,
    attributes: { domain: domain.toLowerCase(), basis: "form" },
  };
}

// Walks left from the "@". A Chinese or Thai letter next to an ASCII letter is prose that touches the address.
function localStart(text: string, at: number): number {
  const nearest = text[at - 1] ?? " ";
  const wide = nearest > "\x7f" && !spacedLetter.test(nearest);
  let start = at;
  while (start > 0 && at - start < maxLocalLength) {
    const char = text[start - 1] ?? " ";
    const fits = char < "\x80" ? asciiLocal.test(char) : wide ? otherLetter.test(char) : spacedLetter.test(char);
    if (!fits) break;
    start--;
  }
  if (text[at - 1] === ".") return at;
  const doubled = text.slice(start, at).lastIndexOf("..");
  if (doubled >= 0) start += doubled + 2;
  while (start < at && /[.'%-]/.test(text[start] ?? "")) start++;
  return start;
}

// In `https://name@host`, the text before the "@" is a login, not a mailbox.
function isUserInfo(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - maxLocalLength), start);
  const scheme = before.lastIndexOf("://");
  return scheme >= 0 && !/[\s/?#]/.test(before.slice(scheme + 3));
}

function domainAt(text: string, from: number): string {
  const labels: string[] = [];
  let at = from;
  while (at - from <= maxDomainLength) {
    const label = labelAt(text, at);
    if (label === "") break;
    labels.push(label);
    at += label.length;
    if (text[at] !== ".") break;
    at++;
  }
  while (labels.length > 1 && !isTopLevel(labels)) labels.pop();
  return labels.length < 2 ? "" : labels.join(".");
}

function labelAt(text: string, from: number): string {
  const wide = (text[from] ?? " ") > "\x7f" && !spacedLetter.test(text[from] ?? " ");
  let end = from;
  while (end < text.length && end - from <= maxLabelLength) {
    const char = text[end] ?? " ";
    const fits = char < "\x80" ? asciiLabel.test(char) : wide ? otherLetter.test(char) : spacedLetter.test(char);
    if (!fits) break;
    end++;
  }
  const label = text.slice(from, end).replace(/-+$/, "");
  return label.length > maxLabelLength || label.startsWith("-") ? "" : label;
}

function isTopLevel(labels: readonly string[]): boolean {
  const last = labels.at(-1) ?? "";
  const previous = labels.at(-2) ?? "";
  if (!/^(?:\p{L}[\p{L}\p{M}]+|xn--[a-z0-9-]+)$/iu.test(last) || fileEndings.has(last.toLowerCase())) return false;
  // "…@example.com.Please": a sentence that lacks its space.
  return !(labels.length > 2 && /^[A-Z][a-z]+$/.test(last) && commonEndings.has(previous));
}
