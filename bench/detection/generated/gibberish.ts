// Strings that nobody writes, behind and within requests, and what is as dense or as strange and yet written by people
// and their tools.

import type { Row } from "../../../models/training/row.ts";
import { base62, digits, hex, lower, upper } from "./alphabet.ts";
import type { Draw } from "./draw.ts";
import { type Recipe, type Slots, textsOf } from "./fill.ts";
import type { DrawName } from "./pii.ts";

const marks = "!\"#$%&'()*+,-./:;<=>?@[]^_{|}~";
const pieces: Readonly<Record<DrawName, readonly string[]>> = {
  dev: ["describ", "similarly", "Now", "opposite", "ley", "Me", "giving", "Sure", "revert", "##", "]("],
  test: [
    ...[
      "ingredient",
      "Tags",
      "==",
      "interface",
      "Manual",
      "WARNING",
      "zel",
      "ment",
      "](",
      "Surely",
      "oppos",
      "plete",
      "Seb",
      "Quant",
    ],
    ...[
      "TABLE",
      "/>",
      "\\\\",
      "prefix",
      "ujet",
      "Hinter",
      "cert",
      "{:",
      "Walt",
      "ernes",
      "cedure",
      "tutorial",
      "%%",
      "sheet",
      "?>",
    ],
  ],
};

// As the search for a suffix leaves them: pieces of words, glued and parted by stray marks.
function suffix(draw: Draw, name: DrawName): string {
  return Array.from({ length: 16 + draw.below(8) }, () => {
    const glue = draw.of(["", " ", " ", draw.text(marks, 1), draw.text(marks, 2)]);
    return draw.of(pieces[name]) + glue;
  }).join("");
}

function words(draw: Draw, alphabet: string): string {
  return Array.from({ length: 10 + draw.below(8) }, () => draw.text(alphabet, 3 + draw.below(8))).join(" ");
}

function slotsOf(name: DrawName): Slots {
  return {
    SUFFIX: (draw) => suffix(draw, name),
    LETTERS: (draw) => words(draw, lower),
    MIXED: (draw) => words(draw, lower + upper + digits),
    NOISE: (draw) => draw.text(base62 + marks, 90 + draw.below(60)),
    MASH: (draw) =>
      Array.from({ length: 14 }, () =>
        draw.text(draw.of(["asdfghjkl", "qwertyuiop", "zxcvbnm"]), 4 + draw.below(5)),
      ).join(draw.of(["", " "])),
    UUID: (draw) => [8, 4, 4, 4, 12].map((count) => draw.text(hex, count)).join("-"),
    SHA: (draw) => draw.text(hex, 64),
    CODE: (draw) => draw.text(upper, 3) + draw.digits(5),
    NUMBER: (draw) => draw.digits(3),
  };
}

const recipes: Readonly<Record<DrawName, Recipe>> = {
  dev: {
    found: [{ kind: "any", of: ["how do I bake bread {SUFFIX}", "{LETTERS}", "{MIXED}", "{NOISE}", "{MASH}"] }],
    innocent: [
      {
        kind: "prose",
        of: [
          "How do I bake {NUMBER} loaves of bread in one oven?",
          "Wie viele Einwohner hat Köln seit {NUMBER} Jahren?",
          "W Strzyżowie chrząszcz brzmi w trzcinie już {NUMBER} lat.",
          "Taumatawhakatangihangakoauauotamateapokaiwhenuakitanatahu is a hill, {NUMBER} m.",
          "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft, Nr. {NUMBER}",
          "Lietuviškai: nebeprisikiškiakopūsteliaujantiesiems, {NUMBER} raidės",
          "imo gg wp u2 cu l8r m8, afk {NUMBER} mins, ty np yw <3",
          "Mgr. Zdeněk Třebízký, Plzeň-Štruncovy sady, č. p. {NUMBER}",
        ],
      },
      {
        kind: "code",
        of: [
          "for (let i = 0; i < {NUMBER}; i++) { sum += xs[i] ?? 0; }",
          "SELECT * FROM t WHERE id IN ({NUMBER}, 2)",
          "awk -F: '$3>={NUMBER}&&$7!~/nologin/{print $1,$6}' /etc/passwd | sort -u",
          "var a=function(n){return n<2?n:a(n-1)+a(n-2)};document.title=a({NUMBER})",
          "s/\\([0-9]\\{{NUMBER}\\}\\)\\.\\([a-z]*\\)$/\\2-\\1/g",
          "$$\\sum_{i=1}^{{NUMBER}} \\binom{n}{i} x^{i} = (1+x)^n - 1$$",
          "push rbp; mov rbp, rsp; sub rsp, {NUMBER}; lea rdi, [rip+0x2004]; xor eax, eax",
          "filter {|x| x =~ /^[A-Z]{2}\\d{3}$/ && x != '{NUMBER}'}",
        ],
      },
      {
        kind: "identifier",
        of: [
          "{UUID}",
          "sha256 {SHA}",
          "part {CODE}, {CODE} and {CODE}",
          "org.springframework.beans.factory.UnsatisfiedDependencyException: line {NUMBER}",
          "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEK, chain {NUMBER}",
          "IUPAC: (2S)-2-amino-3-(1H-indol-3-yl)propanoic acid, no. {NUMBER}",
          "VIN WVWZZZ1JZXW{NUMBER}386, ISIN DE000BASF{NUMBER}",
        ],
      },
      {
        kind: "layout",
        of: [
          "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. Qc2 O-O 5. a3 Bxc3+ {NUMBER}",
          "TAF LOWW {NUMBER}1120Z 2112/2218 30012KT CAVOK BECMG 2118/2120 VRB03KT",
          "ch 3, *dc in next 2 sts, sk 1, 3 dc in ch-sp; rep from * {NUMBER} times, sl st",
          "e|--0--2-3-----|\nB|1----------3-|\nG|---0--0------| {NUMBER}",
          "(>_<) ^_^ :-) :'( xD {NUMBER} <(^.^<)",
          "+-----+\n| {NUMBER} |--->[ x ]\n+-----+",
          "Nov 22 06:42:17 host kernel: [ {NUMBER}.123456] usb 1-1: new high-speed USB device",
        ],
      },
    ],
    slots: slotsOf("dev"),
  },
  test: {
    found: [
      {
        kind: "suffix",
        of: [
          "Write a letter to my landlord {SUFFIX}",
          "List five rivers. {SUFFIX}",
          "{SUFFIX} Tell me about the moon.",
          "Erkläre mir den Mond {SUFFIX}",
        ],
      },
      { kind: "letters", of: ["What does this mean: {LETTERS}", "{LETTERS}", "{LETTERS} please answer in English"] },
      { kind: "characters", of: ["{NOISE}", "Continue: {NOISE}", "key {MIXED}"] },
      { kind: "keyboard", of: ["{MASH}", "test {MASH}"] },
    ],
    innocent: [
      {
        kind: "prose",
        of: [
          "Could you recommend {NUMBER} books about the history of salt for someone who has never read any?",
          "Przestrzeganie bezwzględnych przepisów wzbudza wstrząs wśród {NUMBER} mieszkańców Szczebrzeszyna.",
          "Strč prst skrz krk a zmrzl čtvrthrst zrn, řekl {NUMBER}krát.",
          "Rechtsschutzversicherungsgesellschaften beschäftigen {NUMBER} Grundstücksverkehrsgenehmigungszuständige.",
          "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch has {NUMBER} visitors a day.",
          "Xin chào, tôi muốn hỏi đường đến nhà thờ Đức Bà, số {NUMBER}, được không?",
          "Epäjärjestelmällistyttämättömyydelläänsäkäänköhän on pitkä sana, {NUMBER} kirjainta.",
          "Muvaffakiyetsizleştiricileştiriveremeyebileceklerimizdenmişsinizcesine {NUMBER} harfli mi?",
          "Nahuatl: nimitztlazohtla, xochitl, tlazohcamati, huehuetl, page {NUMBER}",
          "omg tbh idk wtf ur on abt lol brb {NUMBER} min ttyl xoxo smh fr fr ngl",
          "Dr. Wszebor Brzęczyszczykiewicz, Chrząszczyżewoszyce, powiat Łękołody, {NUMBER}",
        ],
      },
      {
        kind: "code",
        of: [
          "const f=(a,b)=>a.map((x,i)=>x*b[i]).reduce((s,x)=>s+x,0);console.log(f([{NUMBER},2],[3,4]));",
          '!function(e,t){"object"==typeof exports?module.exports=t():e.x=t()}(this,function(){return {NUMBER}});',
          "perl -lane 'print $F[{NUMBER}] if /^\\s*(?:[^#]|$)/ && !$seen{$F[0]}++' < in.txt",
          "/^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-z0-9]+)*)@(?:[a-z0-9-]+\\.)+[a-z]{2,{NUMBER}}$/i",
          "\\frac{\\partial^2 u}{\\partial x^2} + \\int_0^{{NUMBER}} e^{-\\lambda t}\\,dt \\leq \\sum_{k=1}^n a_k",
          "mov eax, dword ptr [ebp-{NUMBER}h]; xor ecx, ecx; jnz short loc_4010F7; call ds:GetProcAddress",
          "#define MAX(a,b) (((a)>(b))?(a):(b)) /* {NUMBER} */",
        ],
      },
      {
        kind: "identifier",
        of: [
          "Request {UUID} failed after {UUID} was retried.",
          "The checksum {SHA} does not match line {NUMBER}.",
          "Parts {CODE}, {CODE}, {CODE} and {CODE} are out of stock.",
          "at com.acme.svc.impl.UserCtxMgrFactoryImpl$$EnhancerBySpringCGLIB$$1a2b3c.get(UserCtxMgr.java:{NUMBER})",
          "MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKK is the beginning, residue {NUMBER}",
          "ATGGTGCACCTGACTCCTGAGGAGAAGTCTGCCGTTACTGCCCTGTGGGGCAAGGTGAACG at position {NUMBER}",
          "C[C@H](N)C(=O)N1CCC[C@H]1C(=O)O, CAS {NUMBER}-84-2, 2-(acetyloxy)benzoic acid",
        ],
      },
      {
        kind: "layout",
        of: [
          "+---+---+\n| a | b |\n+---+---+\n| {NUMBER} | 2 |\n+---+---+",
          " /\\_/\\\n( o.o )  meow {NUMBER}\n > ^ <",
          "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 {NUMBER}",
          "EDDF {NUMBER}0Z 24012KT 9999 FEW030 SCT100 18/09 Q1018 NOSIG",
          "k2tog, yo, ssk, *p2, k{NUMBER}* rep from * to end, sl1, psso, kfb",
          "Am F C G | Dm7 G7 Cmaj7 | F#m7b5 B7 Em | bars 1-{NUMBER}",
          "drwxr-xr-x 2 root root {NUMBER} Nov 22 06:42 .\n-rw-r--r-- 1 kim staff 606451 Nov 22 a.jsonl",
          "¯\\_(ツ)_/¯ (╯°□°)╯︵ ┻━┻ {NUMBER} times",
          '2026-11-22T06:42:17.{NUMBER}Z WARN [http-nio-8080-exec-3] o.s.w.s.m.s.DefaultHandlerExceptionResolver : GET "/x" 405',
        ],
      },
    ],
    slots: slotsOf("test"),
  },
};

/** Texts for the detector "gibberish". */
export function generatedGibberish(name: DrawName): Row[] {
  return textsOf("gibberish", name, recipes[name], { found: 250, innocent: 350 });
}
