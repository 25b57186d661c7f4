// Trigrams of the letters of words, each word with a space before and behind it.

const token = /\S+/g;
/** Parts that no language writes: addresses, names of variables, numbers. */
const noise = /[\d_@]|:\/\/|[a-z][A-Z]/;
const word = /[\p{L}\p{M}]{1,40}/gu;
const longestToken = 80;

/** Visits the trigrams of a text, for as long as the visitor wants more. */
export function eachGram(text: string, visit: (gram: string) => boolean): void {
  for (const [found] of text.matchAll(token)) {
    if ((found.length > longestToken && found < "\u0370") || noise.test(found)) continue;
    for (const [letters] of found.toLowerCase().matchAll(word)) {
      const padded = ` ${letters} `;
      for (let i = 0; i + 3 <= padded.length; i++) if (!visit(padded.slice(i, i + 3))) return;
    }
  }
}
