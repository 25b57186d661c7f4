// The form of tokens: gr_<kind>_<33 base62 characters><6 base62 characters of CRC-32>, after GitHub's token format:
// https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
// 33 base62 characters are 196 random bits; the checksum refuses a typo without a look-up.

import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 33;
const checksumLength = 6;
const shownLength = 4;

const prefixes: ReadonlyMap<CredentialKind, string> = new Map([
  [CredentialKind.RUNTIME, "gr_rt_"],
  [CredentialKind.CI, "gr_ci_"],
  [CredentialKind.ADMIN, "gr_adm_"],
  [CredentialKind.SCIM, "gr_scim_"],
  [CredentialKind.MEMBER, "gr_ses_"],
]);

/**
 * Tickets: tokens that no call accepts as a bearer token. Those of the kind `console` are a session's cookie, the
 * others are exchanged once.
 */
const ticketPrefixes = {
  refresh: "gr_ref_",
  link: "gr_lnk_",
  mfa: "gr_mfa_",
  sso: "gr_sso_",
  console: "gr_con_",
} as const;

/** What a ticket is for. */
export type TicketKind = keyof typeof ticketPrefixes;

/** What secret scanners may match: every token of this product and, but for the checksum, nothing else. */
export const tokenPattern = /\bgr_(?:rt|ci|adm|scim|ses|ref|lnk|mfa|sso|con)_[0-9A-Za-z]{39}\b/;

/** A new token of this kind. */
export function newToken(kind: CredentialKind): string {
  return mint(prefixOf(kind));
}

/** A new ticket. */
export function newTicket(kind: TicketKind): string {
  return mint(ticketPrefixes[kind]);
}

/** Whether the text is a well-formed ticket of this kind with the right checksum. */
export function isTicket(kind: TicketKind, text: string): boolean {
  return isMinted(ticketPrefixes[kind], text);
}

function mint(prefix: string): string {
  let secret = "";
  for (let i = 0; i < secretLength; i++) secret += alphabet.charAt(randomInt(alphabet.length));
  const head = prefix + secret;
  return head + checksum(head);
}

function isMinted(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  if (text.length !== prefix.length + secretLength + checksumLength || !tokenPattern.test(text)) return false;
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The kind of a well-formed token with the right checksum; undefined for any other text. */
export function tokenKind(text: string): CredentialKind | undefined {
  for (const [kind, prefix] of prefixes) if (text.startsWith(prefix)) return isMinted(prefix, text) ? kind : undefined;
  return undefined;
}

/** What is stored and looked up instead of the token: its SHA-256. Enough, since a token has 196 random bits. */
export function tokenDigest(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** The first characters, enough to recognise a token by and far too few to use it. */
export function shownPrefix(token: string): string {
  const kind = tokenKind(token);
  return token.slice(0, (kind === undefined ? 0 : prefixOf(kind).length) + shownLength);
}

function prefixOf(kind: CredentialKind): string {
  const prefix = prefixes.get(kind);
  if (prefix === undefined) throw new Error(`no token form for credential kind ${kind}`);
  return prefix;
}

function checksum(head: string): string {
  let value = crc32(head);
  let text = "";
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet.charAt(value % 62) + text;
    value = Math.floor(value / 62);
  }
  return text;
}
