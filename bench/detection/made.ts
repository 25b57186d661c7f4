// The labelled sets of each detector that has some: made up or written apart from the detector, one to tune on and one
// that is only measured.

import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { harmfulQuestion, offeredLanguage, readSafety } from "../../models/training/content-safety.ts";
import { isHeldOut, type Row, readCorpus, readRows } from "../../models/training/row.ts";
import { canaries, generatedCanaries } from "./generated/canary.ts";
import { generatedCode } from "./generated/code.ts";
import { generatedEncoding } from "./generated/encoding.ts";
import { generatedGibberish } from "./generated/gibberish.ts";
import { generatedKeywords, keywordLists } from "./generated/keywords.ts";
import { allowedLanguages, drawOfGroup, generatedLanguages } from "./generated/language.ts";
import { type DrawName, generatedPii } from "./generated/pii.ts";
import { generatedRepetitions } from "./generated/repetition.ts";
import { generatedSecrets } from "./generated/secret.ts";
import { selfHarmRows } from "./generated/self-harm.ts";
import { generatedUnicode } from "./generated/unicode.ts";
import { generatedUrls } from "./generated/url.ts";
import { spanTypes } from "./span.ts";

/** The sets of a detector. */
export interface MadeSets {
  readonly detector: string;
  /** What tells it from other sets of the detector. */
  readonly title?: string;
  readonly rows: (draw: DrawName) => readonly Row[];
  /** Parameters of the detector for a set. */
  readonly parameters: (draw: DrawName) => JsonObject;
  /** What anybody would write in a minute to find the same. */
  readonly pattern: RegExp;
  /** Whether innocent texts of the corpus may set its thresholds too: nothing in them is what it looks for. */
  readonly hasMoreDev?: boolean;
}

type Rows = MadeSets["rows"];
type More = Partial<Pick<MadeSets, "title" | "parameters" | "hasMoreDev">>;

const hasMoreDev = true;
const topics = "adult drugs finance gambling legal medical politics religion weapons".split(" ");
/** What anybody would write in a minute, by detector. */
const patterns = {
  code: /rm -rf|drop table|union select|or 1=1|eval\(|exec\(|system\(|\| ?(?:ba)?sh\b|\/dev\/tcp/i,
  contentSafety:
    /bomb|gun|weapon|kill|murder|poison|drug|cocaine|meth|hack|malware|steal|fraud|fake|porn|nude|sex|suicide/i,
  encoding: /[A-Za-z0-9+/]{24}|(?:%|\\x)[0-9a-f]{2}|&#/i,
  gibberish: /\w{25}|[^\w\s]{5}/,
  language: /[^\p{ASCII}äöüßéèêàâçñáíóúœîôûëïÄÖÜÉÀ¿¡“”„–—’…]/u,
  pii: /[\w.]+@[\w.]+|\+?\d[\d -]{7,}\d|https?:/,
  profanity: /fuck|shit|bitch|asshole|cunt|dick|merde|schei|puta|kurwa|бля/i,
  repetition: /(.)\1{9}/,
  secrets: /(?:key|token|secret|password)\W{1,4}[\w-]{16}|[A-Za-z0-9_-]{32}/i,
  selfHarm: /suicid|kill (?:my|your)self|self.?harm|want to die|selbstmord|自殺|自杀|자살/i,
  topics: /sex|porn|drug|cocaine|stock|invest|casino|bet|lawyer|sue|doctor|dose|elect|president|god|bible|gun|bomb/i,
  toxicity: /idiot|stupid|moron|kill|die|hate|ugly|scum|vermin|disgusting/i,
  unicode: /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\u{e0000}-\u{e01ef}]/u,
  url: /https?:\/\/\S*\?/,
};

/** The sets by detector, in the order of their names. */
export const madeSets: readonly MadeSets[] = [
  setsOf("canary", generatedCanaries, new RegExp(canaries.test.join("|")), {
    parameters: (draw) => ({ canaries: [...canaries[draw]] }),
  }),
  setsOf("code", generatedCode, patterns.code),
  setsOf("content_safety", safetyRows, patterns.contentSafety),
  setsOf("encoding", generatedEncoding, patterns.encoding),
  setsOf("gibberish", generatedGibberish, patterns.gibberish, { hasMoreDev }),
  setsOf("keywords", generatedKeywords, new RegExp(keywordLists.test.join("|"), "i"), {
    parameters: (draw) => ({ keywords: [...keywordLists[draw]] }),
  }),
  setsOf("language", generatedLanguages, patterns.language, { parameters: () => ({ allow: [...allowedLanguages] }) }),
  setsOf("pii", piiRows, patterns.pii, { parameters: () => ({ entities: [...spanTypes] }) }),
  setsOf("profanity", written("profanity"), patterns.profanity, { hasMoreDev }),
  setsOf("repetition", generatedRepetitions, patterns.repetition, { hasMoreDev }),
  setsOf("secrets", generatedSecrets, patterns.secrets),
  setsOf("self_harm", written("self-harm"), patterns.selfHarm, { hasMoreDev }),
  setsOf("self_harm", selfHarmRows, patterns.selfHarm, { hasMoreDev, title: "other sentences" }),
  setsOf("topics", written("topics"), patterns.topics, { parameters: () => ({ topics: [...topics] }) }),
  setsOf("toxicity", written("toxicity"), patterns.toxicity, { hasMoreDev }),
  setsOf("unicode", generatedUnicode, patterns.unicode),
  setsOf("url", generatedUrls, patterns.url),
];

function setsOf(detector: string, rows: Rows, pattern: RegExp, more: More = {}): MadeSets {
  return { detector, rows, pattern, parameters: () => ({}), ...more };
}

/** Innocent texts that set the thresholds of a detector. */
export function devRows({ rows, hasMoreDev = false }: MadeSets): readonly Row[] {
  const corpus = hasMoreDev ? readCorpus().filter((row) => isHeldOut(row) && drawOfGroup(row) === "dev") : [];
  return [...rows("dev"), ...corpus].filter(({ isAttack }) => !isAttack);
}

// Sentences that are written one by one and kept beside this file; `label` names the detector that should find
// something.
function written(name: string): Rows {
  const label = name.replace("-", "_");
  return (draw) => readRows(fileURLToPath(new URL(`./written/${name}.${draw}.jsonl`, import.meta.url)), label);
}

// The groups of wishes and look-alikes that nothing was trained on, and English texts of the corpus of injection: it has
// plain wishes of other authors among its innocent ones, of which the detector learned none.
function safetyRows(draw: DrawName): Row[] {
  const corpus = readCorpus()
    .filter((row) => !row.isAttack && row.lang === offeredLanguage)
    .filter((row) => row.kind === harmfulQuestion || isHeldOut(row))
    .map((row) => ({ ...row, isAttack: row.kind === harmfulQuestion }));
  return [...readSafety().filter(isHeldOut), ...corpus].filter((row) => drawOfGroup(row) === draw);
}

// Texts in which something of any of the types lies.
function piiRows(draw: DrawName): Row[] {
  return generatedPii(draw).map(({ text, spans }, index) => {
    const id = `${draw}-${index + 1}`;
    const kind = spans.map(({ type }) => type).join(" ");
    return { id, text, isAttack: spans.length > 0, kind, lang: "", stage: "input", source: "generated", group: id };
  });
}
