// Keywords of every script are found however they are spelled, and what is another word is not.

import { describe, expect, it } from "vitest";
import { type Random, seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { chunksOf, oneOf, streamEngine, streamed, whole } from "../stream/sample-stream.ts";
import { scan } from "./scan.ts";

/** Letters that are drawn alike, as groups: each may stand for each other. */
const alike = [
  ..."aаɑ|eе|oоοօ|pр|cс|xх|yу|iі|jј|sѕ|vν|hһհ|uս".split("|"),
  ..."AАΑᎪ|BВΒ|EЕΕᎬ|KКΚᏦ|MМΜᎷ|HНΗᎻ|OОΟ|PРΡᏢ|CСᏟ|TТΤᎢ|XХΧ|YΥ|NΝ|ZΖᏃ|IІΙ|SЅᏚ|ΓГ|ΛЛ|ΠП|ΦФ".split("|"),
];
const alphabets = [
  "abcdefghijklmnopqrstuvwxyz",
  "abcdefghijklmnopqrstuvwxyzäöüßéñçøşğ",
  "абвгдежзийклмнопрстуфхцчшщыьэюяіїєў",
  "αβγδεζηθικλμνξοπρστυφχψω",
  "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ",
  "ᎠᎡᎢᎣᎤᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᏃᏄᏅᏆᏢᏣᏟᏦᏚ",
  "אבגדהוזחטיכלמנסעפצקרשת",
  "ابتثجحخدذرزسشصضطظعغفقلمنهويك",
  "कखगघचछजझटठडढतथदधनपफबभमयरलवशषसह",
  "กขคงจฉชซญดตถทธนบปผพฟมยรลวศสหอ",
  "가나다라마바사아자차카타파하",
  "日月火水木金土山川田人口",
  "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
] as const;
const quotes = ["'", "’", "‘", "`", "´", "ʼ", "′"];
const dashes = ["-", "‐", "‑", "–", "—", "−", "－", "―"];
const spaces = [" ", "  ", "\u00a0", "\n", "\u3000"];

const sample = sampleOf({ n: 2_000, seed: 21 });
const keywords = Array.from({ length: 130 }, (_, index) => keywordOf(seededRandom(index), index));

/** A word or two of one script, joined by a quote, a dash or a space. */
function keywordOf(random: Random, index: number): string {
  const alphabet = [...(alphabets[index % alphabets.length] ?? "")];
  const word = () => Array.from({ length: 4 + Math.floor(random() * 4) }, () => oneOf(alphabet, random)).join("");
  const joint = oneOf(["", "", "'", "-", " "], random);
  const text = joint === "" ? word() : word() + joint + word();
  const chars = [...(random() < 0.3 ? text.toUpperCase() : text)];
  return chars.join("");
}

/** The same in another spelling. Of each word its first and its last letter stay in their script. */
function respelled(keyword: string, random: Random): string {
  const shout = random();
  const cased = shout < 0.2 ? keyword.toUpperCase() : shout < 0.4 ? keyword.toLowerCase() : keyword;
  const chars = [...cased];
  return chars
    .map((char, at) => {
      if (char === "'") return oneOf(quotes, random);
      if (char === "-") return oneOf(dashes, random);
      if (char === " ") return oneOf(spaces, random);
      if (/ß/.test(char)) return random() < 0.5 ? "ss" : "ẞ";
      if (char === "s" && chars[at + 1] === "s" && random() < 0.5) return "s";
      const isInner = /\p{L}/u.test(chars[at - 1] ?? "") && /\p{L}/u.test(chars[at + 1] ?? "");
      const group = isInner && random() < 0.5 ? alike.find((each) => each.includes(char)) : undefined;
      return group === undefined ? char : oneOf([...group], random);
    })
    .join("");
}

describe("keywords of every script", () => {
  it("are found with look-alikes, other quotes and dashes, and sharp s, at their exact place", () => {
    const failures: string[] = [];
    for (let run = 0; run < sample.n; run++) {
      const random = seededRandom(sample.seed * 1_000_003 + run);
      const keyword = oneOf(keywords, random);
      const written = respelled(keyword, random);
      const before = oneOf(["", "x ", "日 ", "(", "\n", "и, "], random);
      const text = before + written + oneOf(["", " y", ".", "!\n", ", и"], random);
      const match = scan("keywords", text, { keywords }).some(
        ({ start, end }) => start === before.length && end === before.length + written.length,
      );
      if (!match) failures.push(JSON.stringify({ run, keyword, text }));
    }
    reportSample({ n: sample.n, failures: failures.length });
    expect(failures.slice(0, 5)).toEqual([]);
  });

  it("are not found in other words of their script", () => {
    const failures: string[] = [];
    const known = new Set(keywords.map(plain));
    for (let run = 0; run < sample.n; run++) {
      const random = seededRandom(sample.seed * 2_000_003 + run);
      const chars = [...oneOf(keywords, random)];
      const at = Math.floor(random() * chars.length);
      const alphabet = [...(alphabets.find((each) => each.includes((chars[at] ?? "").toLowerCase())) ?? "")];
      if (alphabet.length === 0) continue;
      // One letter is another of the same script, so nothing is imitated.
      chars[at] = oneOf(alphabet, random);
      const other = chars.join("");
      if ([...known].some((keyword) => plain(other).includes(keyword))) continue;
      const hits = scan("keywords", `x ${other} y`, { keywords });
      if (hits.length > 0) failures.push(JSON.stringify({ run, other, hits }));
    }
    reportSample({ n: sample.n, failures: failures.length });
    expect(failures.slice(0, 5)).toEqual([]);
  });

  it("are found in a stream as in the whole text", () => {
    const rule = (id: string) => ({ id, stages: ["output"], detect: id, action: "REDACT" });
    const some = keywords.slice(0, 40);
    const detectors = {
      words: { use: "keywords", keywords },
      parts: { use: "keywords", keywords: some, match: "substring" },
    };
    const rules = [rule("words"), rule("parts")];
    const source = `detectors: ${JSON.stringify(detectors)}
rules: ${JSON.stringify(rules)}`;
    const engine = streamEngine(source);
    const failures: string[] = [];
    const count = Math.ceil(sample.n / 10);
    for (let run = 0; run < count; run++) {
      const random = seededRandom(sample.seed * 3_000_017 + run);
      let text = "";
      for (let words = 1 + Math.floor(random() * 6); words > 0; words--) {
        const written = respelled(oneOf(keywords, random), random);
        text +=
          (random() < 0.3 ? written.slice(0, 3) : written) + oneOf(["", " ", ". ", "s", "ss", "ß", "а", "日"], random);
      }
      const got = streamed(engine, chunksOf(text, random)).released;
      const want = whole(engine, text).released;
      if (got !== want) failures.push(JSON.stringify({ run, text, got, want }));
    }
    reportSample({ n: count, failures: failures.length });
    expect(failures.slice(0, 3)).toEqual([]);
  });
});

/** A word in the spelling of all its spellings, for words of one script. */
function plain(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ");
}
