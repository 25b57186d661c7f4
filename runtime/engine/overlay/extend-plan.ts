// Adds the overlay of a bundle to the plan of a detector. What the detector finds by itself stays as it is: its own
// detections are settled as if there were no overlay, and those of the overlay stand beside them.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Detection } from "../detectors/detector.ts";
import { type PatternProbe, type Phrase, type Plan, withoutInner } from "../detectors/detector-plan.ts";
import { askedShare, saidReach, saidShare } from "../detectors/injection/quotation.ts";
import { exemptionsOf } from "../detectors/pack/parameter.ts";
import { isExempt } from "../detectors/pack/pattern.ts";
import { plain } from "../detectors/pack/term.ts";
import { textParameter, textsParameter } from "../detectors/parameter.ts";
import type { OverlayEntry, OverlaySet } from "../languages/overlay-set.ts";
import { compilePattern } from "../pattern/compile-pattern.ts";
import { matchesGlob } from "../text/glob.ts";
import { reads } from "../text/normalize.ts";
import { placeCounter, withAllowed } from "./allow.ts";
import { cuesFor, withCues } from "./cue.ts";
import { scriptOf } from "./script-fold.ts";
import { type FoldedTerm, scriptSweep } from "./script-sweep.ts";
import { phrasesOf, plainTerm } from "./term-form.ts";

/** The detector of a category, and the category of its findings there. */
interface Target {
  readonly use: string;
  readonly category: string;
  /** The topic that a rule has to ask for. */
  readonly topic?: string;
}

/** Where the vocabulary of a category goes by itself. The others are read by `from_packs` only. */
const targets: Readonly<Record<string, Target>> = {
  injection: { use: "injection", category: "injection.wording" },
  toxicity: { use: "toxicity", category: "toxicity.offensive" },
  self_harm: { use: "self_harm", category: "self_harm.intent" },
  profanity: { use: "profanity", category: "profanity.word" },
  sexual: { use: "topics", category: "topics.adult", topic: "adult" },
  drugs: { use: "topics", category: "topics.drugs", topic: "drugs" },
  weapons: { use: "topics", category: "topics.weapons", topic: "weapons" },
};

const wordBasis = "word of a language pack";
const patternBasis = "pattern of a language pack";
/** How far around a match of a pattern allowed phrases are looked for, in units. */
const allowReach = 128;

/** An entry that a detector takes, with the category of its findings. */
interface Fed {
  readonly entry: OverlayEntry;
  readonly category: string;
}

/** The categories of overlays that a detector with these parameters takes. */
export function categoriesFedTo(use: string, parameters: JsonObject): readonly string[] {
  if (use === "keywords") return textsParameter(parameters, "from_packs") ?? [];
  const topics = textsParameter(parameters, "topics");
  return Object.entries(targets).flatMap(([category, { use: taker, topic }]) =>
    taker === use && (topic === undefined || topics?.includes(topic) === true) ? [category] : [],
  );
}

/** A detector of a rule: its parameters, and the categories of findings that the rule asks for, when it names them. */
export interface TakingTerm {
  readonly use: string;
  readonly parameters: JsonObject;
  /** Globs; undefined for all. */
  readonly categories: readonly string[] | undefined;
}

/** The categories of overlays whose findings count for a detector of a rule. */
export function categoriesTakenBy({ use, parameters, categories }: TakingTerm): readonly string[] {
  const fed = categoriesFedTo(use, parameters);
  if (use === "keywords" || categories === undefined) return fed;
  return fed.filter((name) => categories.some((glob) => matchesGlob(glob, targets[name]?.category ?? "")));
}

/** The part of a set that a detector with these parameters takes; undefined when there is none. */
export function overlayFor(use: string, parameters: JsonObject, set: OverlaySet): OverlaySet | undefined {
  if (use === "pii") return cuesFor(parameters, set);
  const categories = categoriesFedTo(use, parameters);
  if (categories.length === 0) return undefined;
  const entries = [...set.entries].filter(([, { category }]) => categories.includes(category));
  return entries.length === 0 ? undefined : { entries: new Map(entries), allow: set.allow };
}

/** The plan with the overlay that `overlayFor` gave. */
export function extendPlan(plan: Plan, use: string, parameters: JsonObject, overlay: OverlaySet): Plan {
  if (use === "pii") return withCues(plan, overlay);
  const own = textParameter(parameters, "category", "keywords");
  const fed = withAllowed([...overlay.entries.values()], overlay.allow).map(
    (entry): Fed => ({ entry, category: use === "keywords" ? own : (targets[entry.category]?.category ?? own) }),
  );
  const exempt = exemptionsOf(parameters);
  const allowed = overlay.allow.map(plainTerm);
  const terms = fed.filter(({ entry: { term } }) => term !== undefined && !exempt.has(plain(term.term)));
  const count = placeCounter();
  const settle = (own: Plan["settle"]): Plan["settle"] => {
    return (detections, source) => [
      ...own(detections.filter(isOwn), source),
      ...withoutInner(detections.filter((each) => !isOwn(each))),
    ];
  };
  return {
    ...plan,
    reads: plan.reads | reads.normal,
    phrases: [...plan.phrases, ...terms.filter(isVerbatim).flatMap((each) => phrasesOfFed(each, count))],
    patterns: [...plan.patterns, ...fed.flatMap((each) => probesOf(each, allowed, exempt))],
    sweeps: [
      ...plan.sweeps,
      ...sweepsOf(
        terms.filter((each) => !isVerbatim(each)),
        count,
      ),
    ],
    settle: settle(plan.settle),
    ...(plan.settleFaint !== undefined && { settleFaint: settle(plan.settleFaint) }),
  };
}

function isOwn({ attributes }: Detection): boolean {
  return attributes?.overlay === undefined;
}

function isVerbatim({ entry: { term } }: Fed): boolean {
  return term !== undefined && scriptOf(term.term) === undefined;
}

function phrasesOfFed({ entry, category }: Fed, count: (more: number) => void): Phrase[] {
  const phrases = phrasesOf(entry, { category, basis: wordBasis });
  for (const { unless } of phrases) count(unless?.size ?? 0);
  return phrases;
}

function sweepsOf(terms: readonly Fed[], count: (more: number) => void) {
  const byScript = Map.groupBy(terms, ({ entry: { term } }) => scriptOf(term?.term ?? ""));
  return [...byScript].flatMap(([script, list]) =>
    script === undefined
      ? []
      : [
          scriptSweep(
            list.map((each): FoldedTerm => ({ ...each, basis: wordBasis })),
            script,
            count,
          ),
        ],
  );
}

function probesOf(
  { entry: { pattern, language, layer, score, category: own }, category }: Fed,
  allow: readonly string[],
  exempt: ReadonlySet<string>,
): PatternProbe[] {
  if (pattern === undefined) return [];
  const attributes = { language, basis: patternBasis, overlay: layer, pattern: pattern.id };
  return [
    {
      pattern: compilePattern(pattern.source, { ignoreCase: true }),
      folded: true,
      // Quotation marks and words about attacks are searched for after a match, as for built-in patterns.
      reach: Math.max(saidReach, allowReach),
      accept: ({ start, end }, text) => {
        if (exempt.size > 0 && isExempt(text.slice(start, end), exempt)) return undefined;
        if (isAllowed(text, start, end, allow)) return undefined;
        const share = own === "injection" ? saidShare(text, start, end) : askedShare(text, start);
        const said = Math.round(score * share * 100) / 100;
        return { category, start, end, score: said, attributes };
      },
    },
  ];
}

// Whether a match lies within an allowed phrase; these are plain.
function isAllowed(text: string, start: number, end: number, allow: readonly string[]): boolean {
  if (allow.length === 0) return false;
  const match = plainTerm(text.slice(start, end));
  const [lead, tail] = [
    plainTerm(text.slice(Math.max(0, start - allowReach), start)),
    plainTerm(text.slice(end, end + allowReach)),
  ];
  return allow.some((wanted) => {
    for (let at = wanted.indexOf(match); at >= 0; at = wanted.indexOf(match, at + 1))
      if (lead.endsWith(wanted.slice(0, at).trimEnd()) && tail.startsWith(wanted.slice(at + match.length).trimStart()))
        return true;
    return false;
  });
}
