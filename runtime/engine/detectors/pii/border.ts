// Decides where numbers and codes end: which adjacent characters continue them. Scripts without spaces, and scripts
// that attach particles to words, put letters directly next to numbers, so only Latin letters continue a code; Greek
// and Cyrillic letters also continue a phone number.

/** A character that continues a code of letters and digits. */
export const continuesCode = /^[\p{sc=Latn}\p{N}_]$/u;

/** The same for a number of digits only, as the source of a character class. */
export const spacedLetters = String.raw`[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Armn}\p{sc=Geor}]`;

/** Dashes that word processors substitute for the hyphen, and non-breaking spaces. */
const dash = /[\u2010-\u2015\u2212]/g;
const space = /[\u00a0\u2007\u2009\u202f]/g;

/** The text with one kind of hyphen and one kind of space, with unchanged offsets. */
export function plainSeparators(text: string): string {
  return /[\u00a0\u2007-\u2015\u202f\u2212]/.test(text) ? text.replace(dash, "-").replace(space, " ") : text;
}
