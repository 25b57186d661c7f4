// The findings of a record beside those of its replay: which of them are new, which are gone, and how scores moved.

import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Match } from "../decide/match.ts";
import type { Truth } from "../decide/truth.ts";
import type { Doubt } from "./doubt.ts";

/** Yes, no, or not known. */
export type Answer = "yes" | "no" | "unknown";

/** One finding, as the record and the replay have it. Offsets count UTF-16 code units. */
export interface ReplayedFinding {
  readonly policy: string;
  readonly ruleId: string;
  readonly category: string;
  readonly segment: string;
  readonly start: number;
  readonly end: number;
  /** Whether the record has it. */
  readonly was: Answer;
  /** Whether the replay finds it. */
  readonly match: Answer;
  /** Undefined where the record does not have it. */
  readonly before: Measured | undefined;
  /** Undefined where the replay does not find it. */
  readonly after: Measured | undefined;
}

/** A score, and the one from which the rule matches. */
export interface Measured {
  readonly score: number;
  readonly threshold: number;
}

/** A match of a replay, with where it is. */
export type PlacedMatch = Pick<
  Match<Doubt>,
  "policy" | "rule" | "segment" | "category" | "start" | "end" | "score" | "threshold" | "isThere"
>;

/** What a replay compares its findings with. */
export interface ComparedRecord {
  readonly record: EvaluationRecord;
  /** The policies replace only the one of this name; undefined: they replace all. */
  readonly replaces: string | undefined;
  /** Id of a piece by its index, and whether its offsets are those of a redacted text. */
  readonly pieces: readonly { readonly id: string; readonly isShifted: boolean }[];
}

type Place = Pick<ReplayedFinding, "policy" | "ruleId" | "category" | "segment" | "start" | "end">;

interface Seen extends Place, Measured {
  readonly isThere: Truth<Doubt>;
  readonly isShifted: boolean;
}

/** The findings side by side, those of one side first. `matches` is undefined where nothing is known of the replay. */
export function compareFindings(
  matches: readonly PlacedMatch[] | undefined,
  compared: ComparedRecord,
): readonly ReplayedFinding[] {
  const before = best(recordedOf(compared));
  const seen = (matches ?? []).map((match) => seenOf(match, compared));
  const after = best(seen.filter((_, at) => !isPlaceholder(matches?.[at])));
  const doubted = new Set(seen.filter(({ isThere }) => isThere !== true).map(pieceKey));
  const isLost = (place: Place) => matches !== undefined && !doubted.has(pieceKey(place));
  const kinds = new Set([...before.values()].map(kindKey));
  const wasUnknown = (found: Seen) =>
    compared.record.findingsOmitted > 0 || (found.isShifted && kinds.has(kindKey(found)));
  return [...new Map([...before, ...after]).keys()]
    .flatMap((key): ReplayedFinding[] => {
      const [was, is] = [before.get(key), after.get(key)];
      const place = was ?? is;
      if (place === undefined) return [];
      const { policy, ruleId, category, segment, start, end } = place;
      return [
        {
          ...{ policy, ruleId, category, segment, start, end },
          was: was !== undefined ? "yes" : is !== undefined && wasUnknown(is) ? "unknown" : "no",
          match: is !== undefined ? answerOf(is.isThere) : isLost(place) ? "no" : "unknown",
          before: was && measured(was),
          after: is && measured(is),
        },
      ];
    })
    .sort((a, b) => Number(a.was === a.match) - Number(b.was === b.match) || a.start - b.start || a.end - b.end);
}

function recordedOf({ record, replaces }: ComparedRecord): readonly Seen[] {
  return record.findings
    .filter(({ policy }) => replaces === undefined || policy === replaces)
    .map(({ policy, ruleId, category, segment, start, end, score, threshold }) => ({
      ...{ policy, ruleId, category, segment, start, end, score, threshold },
      ...{ isThere: true, isShifted: false },
    }));
}

function seenOf(match: PlacedMatch, { pieces }: ComparedRecord): Seen {
  const { policy, rule, category, start, end, score, threshold, isThere } = match;
  const piece = pieces[match.segment];
  return {
    ...{ policy: policy.name, ruleId: rule.id, category, segment: piece?.id ?? "" },
    ...{ start, end, score, threshold, isThere, isShifted: piece?.isShifted ?? false },
  };
}

/** A match that stands for findings that are not known is none itself. */
function isPlaceholder(match: PlacedMatch | undefined): boolean {
  return match !== undefined && match.rule.terms.length > 0 && match.isThere !== true && match.threshold === 0;
}

/** Of findings at the same place the one with the highest score. */
function best(all: readonly Seen[]): ReadonlyMap<string, Seen> {
  const byPlace = new Map<string, Seen>();
  for (const each of all) {
    const key = `${kindKey(each)}\u0000${each.start}\u0000${each.end}`;
    const former = byPlace.get(key);
    if (former === undefined || each.score > former.score) byPlace.set(key, each);
  }
  return byPlace;
}

function pieceKey({ policy, ruleId, segment }: Place): string {
  return `${policy}\u0000${ruleId}\u0000${segment}`;
}

function kindKey(place: Place): string {
  return `${pieceKey(place)}\u0000${place.category}`;
}

function measured({ score, threshold }: Seen): Measured {
  return { score, threshold };
}

/** A truth as an answer. */
export function answerOf(truth: Truth<Doubt>): Answer {
  if (typeof truth !== "boolean") return "unknown";
  return truth ? "yes" : "no";
}
