// Grows labelled texts from the grammars of models/grammar, one file a language. A grammar has `[slots]`, which
// sentences name as <name>; `[around]`, sentences that may stand before and after any other; `[document]`, sentences
// that documents are made of; and templates under `[attack FAMILY]`, `[benign KIND]`, and, within documents, `[planted
// FAMILY]` and `[note KIND]`. {a|b} is a choice, also within a choice. Attacks and innocent texts have the same
// surroundings, so that none of these tells them apart. Prose is the other kind of file: innocent sentences in blocks,
// of which longer texts are made, so that a language is not known by its attacks only.

import { randomOf, shuffle } from "./random.ts";
import { hashOf } from "./row.ts";

/** A template and what becomes of it. */
export interface Template {
  readonly isAttack: boolean;
  /** Family of an attack, or what kind of innocent text it is. */
  readonly family: string;
  readonly isInDocument: boolean;
  readonly text: string;
}

/** The grammar of a language. */
export interface Grammar {
  readonly slots: ReadonlyMap<string, readonly string[]>;
  readonly around: readonly string[];
  readonly document: readonly string[];
  readonly templates: readonly Template[];
}

/** A text that was grown: a line of the corpus. */
export interface Grown {
  readonly id: string;
  readonly text: string;
  readonly label: "attack" | "benign";
  readonly family: string;
  readonly lang: string;
  readonly stage: "input" | "output" | "retrieval";
  readonly group: string;
  readonly provenance: string;
}

/** Of a template at most so many texts: of attacks, and of innocent texts. */
const most = { attack: 10, benign: 6 } as const;
const tries = 4;
const prosePerBlock = 8;
const provenance = "project 2026-11, grown from a grammar";
const sections: ReadonlyMap<string, Pick<Template, "isAttack" | "isInDocument">> = new Map([
  ["attack", { isAttack: true, isInDocument: false }],
  ["planted", { isAttack: true, isInDocument: true }],
  ["benign", { isAttack: false, isInDocument: false }],
  ["note", { isAttack: false, isInDocument: true }],
]);
/** Slots that every grammar has: addresses, in orders to steal and in office mails alike. */
const everywhere: readonly (readonly [string, readonly string[]])[] = [
  [
    "mail",
    ["info@atlas.example", "team@harbour.example", "box@relay.example", "anna@office.example", "log@mirror.example"],
  ],
  [
    "url",
    [
      "https://atlas.example/form",
      "https://relay.example/in",
      "https://files.example/upload",
      "http://mirror.example/x",
    ],
  ],
];
/** How often a text stands beside a sentence of the surroundings, and how often it is typed without care. */
const shares = { before: 0.3, after: 0.15, careless: 0.15 } as const;

/** Reads a grammar. Fails at a section or a slot that is not known, and at braces without their other half. */
export function readGrammar(source: string): Grammar {
  const slots = new Map<string, readonly string[]>(everywhere);
  const grammar = { slots, around: [] as string[], document: [] as string[], templates: [] as Template[] };
  let section = "";
  for (const line of source.split("\n").map((each) => each.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    if (/^\[[a-z_ ]+\]$/.test(line)) section = line.slice(1, -1);
    else addLine(grammar, section, line);
  }
  for (const { text } of grammar.templates) checkTemplate(text, slots);
  return grammar;
}

function addLine(
  {
    slots,
    around,
    document,
    templates,
  }: { slots: Map<string, readonly string[]>; around: string[]; document: string[]; templates: Template[] },
  section: string,
  line: string,
): void {
  const [name = "", family = ""] = section.split(" ");
  const form = sections.get(name);
  if (form !== undefined) templates.push({ ...form, family, text: line });
  else if (name === "around") around.push(line);
  else if (name === "document") document.push(line);
  else if (name === "slots") addSlot(slots, line);
  else throw new Error(`no section "${section}" for "${line}"`);
}

function addSlot(slots: Map<string, readonly string[]>, line: string): void {
  const at = line.indexOf("=");
  if (at < 0) throw new Error(`no slot: "${line}"`);
  slots.set(
    line.slice(0, at).trim(),
    line
      .slice(at + 1)
      .split("|")
      .map((choice) => choice.trim()),
  );
}

function checkTemplate(text: string, slots: ReadonlyMap<string, readonly string[]>): void {
  const first = expand(text, slots, () => 0);
  const last = expand(text, slots, () => 0.999999);
  const left = /[{}|]|<[a-z]+>/.exec(first + last);
  if (left !== null) throw new Error(`"${left[0]}" is left of "${text}"`);
}

function expand(template: string, slots: ReadonlyMap<string, readonly string[]>, random: () => number): string {
  const pick = (choices: readonly string[]): string => choices[Math.floor(random() * choices.length)] ?? "";
  let text = template;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\{([^{}]*)\}/g, (_, choices: string) => pick(choices.split("|")));
  }
  return text
    .replace(/<([a-z]+)>/g, (whole, name: string) => pick(slots.get(name) ?? [whole]))
    .replace(/ {2,}/g, " ")
    .replace(/ +([.,!?;:؟،۔।])/g, "$1")
    .trim();
}

/**
 * The texts of a grammar, each once, template by template; the same for the same grammar. Texts of a template share a
 * group.
 */
export function growTexts(lang: string, grammar: Grammar): Grown[] {
  const seen = new Set<string>();
  return grammar.templates.flatMap((template) => {
    const group = `own-world-${lang}-${hashOf(template.text).toString(36)}`;
    const random = randomOf(hashOf(group));
    const texts: Grown[] = [];
    const wanted = most[template.isAttack ? "attack" : "benign"];
    for (let i = 0; i < wanted * tries && texts.length < wanted; i++) {
      const plain = expand(template.text, grammar.slots, random);
      if (seen.has(plain)) continue;
      seen.add(plain);
      texts.push(
        grownOf(template, { lang, group, number: texts.length + 1, text: placed(plain, template, grammar, random) }),
      );
    }
    return texts;
  });
}

function grownOf(
  { isAttack, family, isInDocument }: Template,
  { lang, group, number, text }: { lang: string; group: string; number: number; text: string },
): Grown {
  return {
    id: `${group}-${number}`,
    text,
    label: isAttack ? "attack" : "benign",
    family,
    lang,
    stage: isInDocument ? "retrieval" : "input",
    group,
    provenance,
  };
}

function placed(text: string, { isInDocument }: Template, { around, document }: Grammar, random: () => number): string {
  if (isInDocument) return withinDocument(text, document, random);
  const pick = (): string => around[Math.floor(random() * around.length)] ?? "";
  const before = random() < shares.before ? `${pick()} ` : "";
  const after = random() < shares.after ? ` ${pick()}` : "";
  const whole = `${before}${text}${after}`;
  return random() < shares.careless ? whole.toLowerCase().replace(/[.!]$/, "") : whole;
}

function withinDocument(text: string, document: readonly string[], random: () => number): string {
  const first = Math.floor(random() * document.length);
  const lines = [...document.slice(first), ...document.slice(0, first)].slice(0, 2 + Math.floor(random() * 3));
  lines.splice(Math.floor(random() * (lines.length + 1)), 0, text);
  return lines.join(random() < 0.5 ? "\n" : " ");
}

/**
 * Innocent texts of the lines of each block, which share a group: every line alone, and some together; the same for the
 * same lines.
 */
export function growProse(lang: string, source: string): Grown[] {
  const blocks = source.split(/\n{2,}/).map((block) => block.split("\n").filter((line) => line !== ""));
  return blocks.flatMap((lines) => {
    const group = `own-world-${lang}-${hashOf(lines.join()).toString(36)}`;
    const random = randomOf(hashOf(group));
    const texts = new Set([...lines, ...Array.from({ length: prosePerBlock }, () => joined(lines, random))]);
    const template = { isAttack: false, family: "ordinary_chat", isInDocument: false, text: "" };
    return [...texts].map((text, index) => ({
      ...grownOf(template, { lang, group, number: index + 1, text }),
      stage: "output",
    }));
  });
}

function joined(lines: readonly string[], random: () => number): string {
  const order = lines.map((_, index) => index);
  shuffle(order, random);
  const chosen = order.slice(0, 2 + Math.floor(random() * (lines.length - 1))).map((index) => lines[index] ?? "");
  const form = Math.floor(random() * 3);
  if (form === 0) return chosen.join(" ");
  return form === 1 ? chosen.join("\n\n") : chosen.map((line, index) => `${index + 1}. ${line}`).join("\n");
}
