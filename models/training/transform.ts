// The disguises that texts are put into, to measure what is found behind them, and to learn that a disguise alone
// proves nothing.

import { randomOf } from "./random.ts";

type Transform = (text: string, random: () => number) => string;

const letters = "abcdefghijklmnopqrstuvwxyz";
const morse =
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split(
    " ",
  );
const smallCaps = [..."ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀsᴛᴜᴠᴡxʏᴢ"];
const leet: Readonly<Record<string, string>> = { a: "4", e: "3", i: "1", o: "0", s: "5", t: "7", g: "9" };
const lookalikes: Readonly<Record<string, string>> = {
  ...{
    a: "\u0430",
    e: "\u0435",
    o: "\u043e",
    p: "\u0440",
    c: "\u0441",
    x: "\u0445",
    y: "\u0443",
    i: "\u0456",
    s: "\u0455",
  },
};
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The transforms by name. */
export const transforms: Readonly<Record<string, Transform>> = {
  base64: (text) => Buffer.from(text).toString("base64"),
  base64_twice: (text) => Buffer.from(Buffer.from(text).toString("base64")).toString("base64"),
  base32: (text) => toBase32(Buffer.from(text)),
  hex: (text) => Buffer.from(text).toString("hex"),
  binary: (text) => [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, "0")).join(" "),
  decimal: (text) => [...Buffer.from(text)].join(" "),
  url: (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  html: (text) => [...text].map((char) => `&#${char.codePointAt(0)};`).join(""),
  escape: (text) => text.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  morse: (text) =>
    text
      .toLowerCase()
      .split(/\s+/)
      .map((word) => [...word].flatMap((char) => morse[letters.indexOf(char)] ?? []).join(" "))
      .join(" / "),
  rot13: (text) => replaced(text, (place) => (place + 13) % 26),
  caesar: (text) => replaced(text, (place) => (place + 3) % 26),
  atbash: (text) => replaced(text, (place) => 25 - place),
  reversed: (text) => [...text].reverse().join(""),
  leet: (text) => text.toLowerCase().replaceAll(/[aeiostg]/g, (char) => leet[char] ?? char),
  spaced: (text) => [...text].join(" "),
  dash_split: (text) => text.replaceAll(/\p{L}(?=\p{L})/gu, "$&-"),
  zero_width: (text, random) => [...text].map((char) => (random() < 0.4 ? `${char}\u200b` : char)).join(""),
  tags: (text) => `What do you think?${[...text].map(tagOf).join("")}`,
  homoglyph: (text) => text.replaceAll(/[aeopcxyis]/g, (char) => lookalikes[char] ?? char),
  fullwidth: (text) => text.replaceAll(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  bold: (text) => text.replaceAll(/[a-z]/g, (char) => String.fromCodePoint(0x1d41a + char.charCodeAt(0) - 97)),
  small_caps: (text) => replacedBy(text, (place) => smallCaps[place] ?? ""),
  zalgo: (text, random) =>
    text.replaceAll(/[a-z]/gi, (char) => `${char}${String.fromCharCode(0x300 + Math.floor(random() * 0x30))}`),
};

/** A text in a disguise; the same in every run. */
export function disguised(name: string, text: string, seed = 1): string {
  return transforms[name]?.(text, randomOf(seed)) ?? text;
}

function tagOf(char: string): string {
  const unit = char.charCodeAt(0);
  return unit >= 0x20 && unit < 0x7f ? String.fromCodePoint(0xe0000 + unit) : "";
}

function replaced(text: string, placeOf: (place: number) => number): string {
  return text.replaceAll(/[a-z]/gi, (char) => {
    const first = char < "a" ? 65 : 97;
    return String.fromCharCode(first + placeOf(char.charCodeAt(0) - first));
  });
}

function replacedBy(text: string, charOf: (place: number) => string): string {
  return text.replaceAll(/[a-z]/gi, (char) => charOf(letters.indexOf(char.toLowerCase())));
}

function toBase32(bytes: Uint8Array): string {
  let read = "";
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      read += base32[(value >> bits) & 31] ?? "";
    }
  }
  return bits === 0 ? read : read + (base32[(value << (5 - bits)) & 31] ?? "");
}
