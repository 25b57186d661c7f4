// Contempt, insults and threats put together from the words of a language: whom it is about, what they are called, what is wished upon
// them. The automaton looks for the groups and the insults only; where one stands, a bounded neighbourhood is read. Denials are left out.
// No pattern knows a word boundary beside letters that are not of ASCII, so most parts have none.

import type { PatternProbe } from "../../plan.ts";
import type { PatternMatch } from "../../regex.ts";
import { expandSentence, type SentenceRule, sentenceProbes } from "../pack/pattern.ts";

/** The words of a language, as sources of patterns. */
export interface ContemptWords {
  readonly language: string;
  /** Groups of people. */
  readonly groups: string;
  /** What says contempt of a group. */
  readonly contempt: string;
  /** What stands between a group and that word, with the spaces around it. */
  readonly are: string;
  /** Hatred of whatever follows, with what leads to it. */
  readonly hate?: string;
  /** Hatred of whatever stands before. */
  readonly hateBehind?: string;
  /** What is wished upon a group, behind its name. */
  readonly fate: string;
  /** Who is addressed or spoken of in an insult, with what leads to the word. */
  readonly you: string;
  /** Insults behind `you`. */
  readonly insults: string;
  /** Insults, threats and curses that need nothing else. */
  readonly curses?: string;
  readonly threats: string;
  /** Words before or within a sentence that deny it. */
  readonly denial: RegExp;
  /** Words around a sentence that report or condemn it: who names an insult does not say it. */
  readonly report: RegExp;
}

/** What the automaton looks for, whatever stands around it. */
export function contemptRules(all: readonly ContemptWords[]): SentenceRule[] {
  return all.flatMap((words) => anchorsOf(words).map(({ rule }) => rule));
}

/** The probes of contempt in some languages. A match with an exempt phrase is no finding. */
export function contemptProbes(
  all: readonly ContemptWords[],
  languages: readonly string[],
  exempt: ReadonlySet<string>,
): PatternProbe[] {
  return all
    .filter(({ language }) => languages.includes(language))
    .flatMap((words) =>
      anchorsOf(words).flatMap(({ rule, widen }) =>
        sentenceProbes([rule], languages, exempt).map((probe) => guarded(probe, words, widen)),
      ),
    );
}

/** A word, and how far the sentence about it goes: undefined where there is none. */
interface Anchor {
  readonly rule: SentenceRule;
  readonly widen: Widen;
}

type Widen = (match: PatternMatch, text: string) => PatternMatch | undefined;

/** How many units on either side of a word may belong to its sentence, and how many beside the sentence deny or report it. */
const sentenceReach = 72;
const contextReach = 60;
/** What `sentenceProbes` reads behind a sentence. */
const said = 160;

function anchorsOf(words: ContemptWords): Anchor[] {
  const { language, groups, you, insults, curses, threats } = words;
  const anchor = (kind: string, score: number, pattern: string, widen: Widen): Anchor => ({
    rule: { category: `toxicity.${kind}`, language, score, pattern },
    widen,
  });
  const asItIs: Widen = (match) => match;
  const frame = sourceOf(`(?:${you})$`);
  return [
    anchor("hate", 0.85, `(?:${groups})`, contemptAround(words)),
    anchor("insult", 0.75, `(?:${insults})`, (match, text) => widenBefore(match, text, frame)),
    ...(curses === undefined ? [] : [anchor("insult", 0.75, curses, asItIs)]),
    anchor("threat", 0.9, threats, asItIs),
  ];
}

function contemptAround({ contempt, are, hate, hateBehind, fate }: ContemptWords): Widen {
  const behind = [`${are}(?:${contempt})`, fate, ...(hateBehind === undefined ? [] : [hateBehind])];
  const followed = sourceOf(`^(?:${behind.join("|")})`);
  const led = hate === undefined ? undefined : sourceOf(`(?:${hate})$`);
  return (match, text) => {
    const reach = followed.exec(text.slice(match.end, match.end + sentenceReach))?.[0].length;
    if (reach !== undefined) return { ...match, end: match.end + reach };
    return led === undefined ? undefined : widenBefore(match, text, led);
  };
}

function widenBefore(match: PatternMatch, text: string, frame: RegExp): PatternMatch | undefined {
  const { start } = match;
  const lead = frame.exec(text.slice(Math.max(0, start - sentenceReach), start))?.[0].length;
  return lead === undefined ? undefined : { ...match, start: start - lead };
}

function guarded(probe: PatternProbe, { denial, report }: ContemptWords, widen: Widen): PatternProbe {
  const innocent = `(?:${denial.source}|${report.source})`;
  const before = new RegExp(`${innocent}[^.!?。！？]{0,24}$`, "iu");
  const within = new RegExp(innocent, "iu");
  const behind = new RegExp(`^[^.!?。！？]{0,12}${report.source}`, "iu");
  return {
    ...probe,
    reach: sentenceReach + said,
    accept: (match, text) => {
      const wide = widen(match, text);
      if (wide === undefined) return undefined;
      const { start, end } = wide;
      if (before.test(text.slice(Math.max(0, start - contextReach), start))) return undefined;
      if (within.test(text.slice(start, end)) || behind.test(text.slice(end, end + contextReach))) return undefined;
      return probe.accept(wide, text);
    },
  };
}

// The pattern of a source as the sentences of packs are written: a space stands for any white space.
function sourceOf(source: string): RegExp {
  return new RegExp(expandSentence(source).replaceAll("\\pL", "\\p{L}"), "iu");
}
