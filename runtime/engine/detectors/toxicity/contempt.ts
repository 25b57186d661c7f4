// Contempt, insults and threats, composed of the words of a language: the people concerned, what they are called, what
// is wished upon them. The automaton searches only for groups and insults; where it finds one, a bounded neighbourhood
// is read. Denials are left out. The patterns have no word boundary next to non-ASCII letters, so most parts have none.

import type { ContemptWords } from "../../languages/toxicity-part.ts";
import type { PatternMatch } from "../../pattern/linear-pattern.ts";
import type { PatternProbe } from "../detector-plan.ts";
import { expandSentence, type SentenceRule, sentenceProbes } from "../pack/pattern.ts";

/** The words of a language, with its tag. */
export interface Contempt extends ContemptWords {
  readonly language: string;
}

/** The rules that the automaton searches for, whatever their context. */
export function contemptRules(all: readonly Contempt[]): SentenceRule[] {
  return all.flatMap((words) => anchorsOf(words).map(({ rule }) => rule));
}

/** The probes for contempt in some languages. A match with an exempt phrase is not a finding. */
export function contemptProbes(
  all: readonly Contempt[],
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

/** A word and the reach of its sentence: undefined where there is none. */
interface Anchor {
  readonly rule: SentenceRule;
  readonly widen: Widen;
}

type Widen = (match: PatternMatch, text: string) => PatternMatch | undefined;

/**
 * How many code units on either side of a word may belong to its sentence, and how many beyond it may deny or report
 * it.
 */
const sentenceReach = 72;
const contextReach = 60;
/** How far `sentenceProbes` reads after a sentence. */
const said = 160;

function anchorsOf(words: Contempt): Anchor[] {
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
  const following = [`${are}(?:${contempt})`, fate, ...(hateBehind === undefined ? [] : [hateBehind])];
  const followed = sourceOf(`^(?:${following.join("|")})`);
  const led = hate === undefined ? undefined : sourceOf(`(?:${hate})$`);
  return (match, text) => {
    const reach = followed.exec(text.slice(match.end, match.end + sentenceReach))?.[0].length;
    if (reach !== undefined) return { ...match, end: match.end + reach };
    return led === undefined ? undefined : widenBefore(match, text, led);
  };
}

function widenBefore(match: PatternMatch, text: string, frame: RegExp): PatternMatch | undefined {
  const { start } = match;
  const frameLength = frame.exec(text.slice(Math.max(0, start - sentenceReach), start))?.[0].length;
  return frameLength === undefined ? undefined : { ...match, start: start - frameLength };
}

function guarded(probe: PatternProbe, { denial, report }: ContemptWords, widen: Widen): PatternProbe {
  const innocent = `(?:${denial.source}|${report.source})`;
  const before = new RegExp(`${innocent}[^.!?。！？]{0,24}$`, "iu");
  const within = new RegExp(innocent, "iu");
  const after = new RegExp(`^[^.!?。！？]{0,12}${report.source}`, "iu");
  return {
    ...probe,
    reach: sentenceReach + said,
    accept: (match, text) => {
      const wide = widen(match, text);
      if (wide === undefined) return undefined;
      const { start, end } = wide;
      if (before.test(text.slice(Math.max(0, start - contextReach), start))) return undefined;
      if (within.test(text.slice(start, end)) || after.test(text.slice(end, end + contextReach))) return undefined;
      return probe.accept(wide, text);
    },
  };
}

// The pattern for a source in the syntax of sentence packs: a space matches any white space.
function sourceOf(source: string): RegExp {
  return new RegExp(expandSentence(source).replaceAll("\\pL", "\\p{L}"), "iu");
}
