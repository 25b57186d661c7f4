// Check sums within tokens: the CRC-32 of the random part, in base 62, six characters, after GitHub's token format
// (https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/).

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const checksumLength = 6;

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 (ISO-HDLC) of an ASCII text. */
export function crc32(text: string): number {
  let crc = -1;
  for (let i = 0; i < text.length; i++) crc = (crc >>> 8) ^ (table[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0);
  return ~crc >>> 0;
}

/** The check sum of a text, as tokens contain it. */
export function tokenChecksum(text: string): string {
  let value = crc32(text);
  let digits = "";
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** Whether the last six characters are the check sum of those before them. */
export function hasChecksum(text: string): boolean {
  return tokenChecksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}
