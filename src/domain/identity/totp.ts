// Time-based one-time passwords: RFC 6238 over RFC 4226, with the parameters that authenticator apps assume: SHA-1, six
// digits, thirty seconds. Secrets are in base32 (RFC 4648, section 6) inside Google's Key URI.

import { createHmac, timingSafeEqual } from "node:crypto";

const stepMs = 30_000;
const digits = 6;
/** Steps before and after the present one whose codes are accepted: clocks differ, and people type slowly. */
const tolerance = 1;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes of a new secret: the length of a SHA-1 digest (RFC 4226, section 4, R6). */
export const totpSecretBytes = 20;

/** The code of a time step. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits).padStart(digits, "0");
}

/** The time step of a moment. */
export function totpStep(moment: Date): number {
  return Math.floor(moment.getTime() / stepMs);
}

/** The accepted time step around the moment that the code belongs to; undefined when there is none. */
export function matchingStep(secret: Uint8Array, code: string, now: Date): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const given = Buffer.from(code, "ascii");
  let found: number | undefined;
  for (let step = totpStep(now) - tolerance; step <= totpStep(now) + tolerance; step++) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step), "ascii"), given)) found = step;
  }
  return found;
}

/**
 * The URI in the QR code for an authenticator app: https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function keyUri(secret: Uint8Array, { issuer, account }: { readonly issuer: string; readonly account: string }) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = `secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=30`;
  return `otpauth://totp/${label}?${parameters}`;
}

/** Bytes in base32 without padding. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet.charAt((pending >>> (bits - 5)) & 31);
    pending &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet.charAt((pending << (5 - bits)) & 31);
}
