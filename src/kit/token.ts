// The form of tokens: gr_<kind>_<33 base62 characters><6 base62 characters of CRC-32>, after GitHub's token format:
// https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
// 33 base62 characters are 196 random bits; the checksum refuses a typo without a look-up.

import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";

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

/** What secret scanners may match: every token of this product and, but for the checksum, nothing else. */
export const tokenPattern = /\bgr_(?:rt|ci|adm|scim|ses)_[0-9A-Za-z]{39}\b/;

/** A new token of this kind. */
export function newToken(kind: CredentialKind): string {
  let secret = "";
  for (let i = 0; i < secretLength; i++) secret += alphabet.charAt(randomInt(alphabet.length));
  const head = prefixOf(kind) + secret;
  return head + checksum(head);
}

/** The kind of a well-formed token with the right checksum; undefined for any other text. */
export function tokenKind(text: string): CredentialKind | undefined {
  for (const [kind, prefix] of prefixes) {
    if (!text.startsWith(prefix)) continue;
    if (text.length !== prefix.length + secretLength + checksumLength || !tokenPattern.test(text)) return undefined;
    const head = text.slice(0, -checksumLength);
    return checksum(head) === text.slice(-checksumLength) ? kind : undefined;
  }
  return undefined;
}

/** What is stored and looked up instead of the token: its SHA-256. Enough, since a token has 196 random bits. */
export function tokenDigest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
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
