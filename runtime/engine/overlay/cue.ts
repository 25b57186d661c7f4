// The words of overlays that announce personal data. The detector "pii" knows how values are written; an overlay tells
// it how a language calls them.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Detection } from "../detectors/detector.ts";
import { type Plan, type Sweep, withoutInner } from "../detectors/detector-plan.ts";
import type { Finding } from "../detectors/finding.ts";
import { type Cue, cueSweeps } from "../detectors/pii/cue.ts";
import { entitiesOf } from "../detectors/pii/pii.ts";
import type { OverlayEntry, OverlaySet } from "../languages/overlay-set.ts";
import { automatonTables, openAutomaton } from "../pattern/aho-corasick.ts";
import { automatonFoldText } from "../text/fold.ts";
import { phrasesOf } from "./term-form.ts";

/** The category of such words. */
export const cueCategory = "pii_cue";
const cueBasis = "form, and words of a language pack";
/** How far before a value words may begin, and how far behind it they count, in units. */
const reach = { before: 256, after: 32 } as const;
/** Scripts without spaces between words, and those that write short words together with the next one. */
const joined = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Hang}\p{sc=Arab}\p{sc=Hebr}]/u;

const digit = /\d/;

/** The words for the entities that a detector with these parameters looks for; undefined when there are none. */
export function cuesFor(parameters: JsonObject, { entries, allow }: OverlaySet): OverlaySet | undefined {
  const names = entitiesOf(parameters);
  const cues = [...entries].filter(([, { entity }]) => entity !== undefined && names.includes(entity));
  return cues.length === 0 ? undefined : { entries: new Map(cues), allow };
}

/** The plan, with the values that the words of an overlay announce. */
export function withCues(plan: Plan, { entries }: OverlaySet): Plan {
  const list = [...entries.values()];
  const byEntity = Map.groupBy(list, ({ entity = "" }) => entity);
  const cues = [...byEntity].map(([entity, some]): Cue => ({ entity, words: sourceOf(some) }));
  const tellers = [...byEntity].map(([entity, some]) => [`pii.${entity.toLowerCase()}`, tellerOf(some)] as const);
  const byCategory = new Map(tellers);
  const announced = wordGate(list);
  const sweeps = cueSweeps(cues).map(({ entities, sweep }) => {
    const gate: WordGate = (text, from) => entities.some((entity) => announced(text, from).has(entity));
    return withAttributes(sweep, gate, byCategory);
  });
  const isOwn = ({ attributes }: Detection) => attributes?.overlay === undefined;
  return {
    ...plan,
    sweeps: [...plan.sweeps, ...sweeps],
    settle: (detections, source) => {
      const own = plan.settle(detections.filter(isOwn), source);
      const added = withoutInner(detections.filter((each) => !isOwn(each)));
      return [...own, ...added.filter((each) => !own.some((other) => saysAsMuch(other, each)))];
    },
  };
}

// What the detector itself is as sure of needs nobody else to say it.
function saysAsMuch(own: Detection, added: Detection): boolean {
  return own.start < added.end && added.start < own.end && own.score >= added.score;
}

type Teller = (text: string, finding: Finding) => Readonly<Record<string, string>>;

function withAttributes(sweep: Sweep, hasWord: WordGate, tellers: ReadonlyMap<string, Teller>): Sweep {
  const marked: Sweep = (text, from = 0, to = text.length) =>
    hasWord(text, from)
      ? sweep(text, from, to).map((finding) => ({
          ...finding,
          attributes: { ...finding.attributes, ...tellers.get(finding.category)?.(text, finding) },
        }))
      : [];
  return sweep.open === undefined ? marked : Object.assign(marked, { open: sweep.open });
}

/** Whether a text may have a value behind a word: at most `reach.before` units before `from`, or later. */
type WordGate = (text: string, from: number) => boolean;

const none: ReadonlySet<string> = new Set();

// The entities that words of a text may announce. Hardly any text has such a word, so nothing else is done with most
// texts. A phrase is present only with its longest word. All sweeps ask about the same text.
function wordGate(entries: readonly OverlayEntry[]): (text: string, from: number) => ReadonlySet<string> {
  const entities = new Map<string, Set<string>>();
  for (const entry of entries)
    for (const { text } of phrasesOf(entry, { category: "", basis: "" })) {
      const word = automatonFoldText(text.split(" ").reduce((a, b) => (b.length > a.length ? b : a), ""));
      entities.set(word, (entities.get(word) ?? new Set()).add(entry.entity ?? ""));
    }
  const announced = [...entities.values()];
  const automaton = openAutomaton(automatonTables([...entities.keys()]));
  let last = { text: "", from: -1, found: none };
  return (text, from) => {
    if (last.text === text && last.from === from) return last.found;
    last = { text, from, found: digit.test(text) ? foundIn(text, from) : none };
    return last.found;
  };

  // Every value has a digit.
  function foundIn(text: string, from: number): ReadonlySet<string> {
    let found: Set<string> | undefined;
    automaton.scan(from <= reach.before ? text : text.slice(from - reach.before), (word) => {
      found ??= new Set();
      for (const entity of announced[word] ?? []) found.add(entity);
    });
    return found ?? none;
  }
}

// Says whose words announced a value: of several languages', those that begin nearest before it.
function tellerOf(entries: readonly OverlayEntry[]): Teller {
  const languages = [...Map.groupBy(entries, ({ language, layer }) => `${language} ${layer}`).values()].map((some) => ({
    ...{ language: some[0]?.language ?? "", overlay: some[0]?.layer ?? "pack" },
    words: new RegExp(sourceOf(some), "iu"),
  }));
  return (text, { start, end }) => {
    const before = text.slice(Math.max(0, start - reach.before), start);
    const after = text.slice(end, end + reach.after);
    const places = languages.map(({ words }) => {
      const at = before.search(words);
      return at < 0 ? Math.min(0, after.search(words)) : at;
    });
    const nearest = languages[places.indexOf(Math.max(...places))];
    return { language: nearest?.language ?? "", overlay: nearest?.overlay ?? "pack", basis: cueBasis };
  };
}

// Words that stand apart share their edges: each of those is a large class of letters.
function sourceOf(entries: readonly OverlayEntry[]): string {
  const phrases = entries.flatMap((entry) => phrasesOf(entry, { category: "", basis: "" }));
  const kinds = Map.groupBy(phrases, ({ text, wholeWord, maxMoreLetters = 0 }) =>
    wholeWord && !joined.test(text) ? maxMoreLetters : -1,
  );
  const sources = [...kinds].map(([more, list]) => {
    const words = [...new Set(list.map(({ text }) => literalOf(text)))].join("|");
    const letters = more > 0 ? `\\p{L}{0,${more}}` : "";
    return more < 0 ? words : `(?<![\\p{L}\\p{N}_])(?:${words})${letters}(?![\\p{L}\\p{N}_])`;
  });
  return sources.join("|");
}

function literalOf(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/ /g, "\\s{1,4}");
}
