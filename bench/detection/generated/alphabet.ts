// The alphabets of made-up values.

/** Decimal digits. */
export const digits = "0123456789";
/** Hexadecimal digits, small. */
export const hex = `${digits}abcdef`;
/** Small letters. */
export const lower = "abcdefghijklmnopqrstuvwxyz";
/** Capital letters. */
export const upper = lower.toUpperCase();
/** Digits and letters. */
export const base62 = digits + upper + lower;
/** Base 32 of RFC 4648. */
export const base32 = `${upper}234567`;
/** Base 64 of RFC 4648. */
export const base64 = `${upper}${lower}${digits}+/`;
/** The characters of base 64 for addresses of the web. */
export const urlSafe = `${base62}-_`;
