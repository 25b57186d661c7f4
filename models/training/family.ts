// Learns which family of attacks a window looks like, by the first bits of the features of injection/feature.ts. It
// names what was found; whether anything was found, it has no say in.

import { windowsOf } from "../../runtime/engine/detectors/injection/feature.ts";
import { FeatureList } from "../../runtime/engine/detectors/injection/feature-list.ts";
import { familyFeatureCount, familyFeatureOf } from "../../runtime/engine/detectors/injection/model.ts";
import type { Row } from "./row.ts";
import { kindScores, type Lesson, learnKinds } from "./softmax.ts";

/** What families of the corpus are called in findings, where the patterns have a name for them. */
const nameOf: ReadonlyMap<string, string> = new Map([
  ["extraction", "prompt_extraction"],
  ["persona", "jailbreak_persona"],
  ["forged_template", "template_forging"],
  ["obfuscated_request", "encoded_instruction"],
  ["authority", "role_hijack"],
]);
/** Windows of one text that teach: its beginning says most, and long documents must not drown the others. */
const mostWindows = 4;

/** The weights of the families, family by family. */
export interface FamilyLearner {
  readonly families: readonly string[];
  readonly biases: readonly number[];
  readonly weights: Float32Array;
}

/** The name of a row's family. */
export function familyOf({ kind }: Pick<Row, "kind">): string {
  return nameOf.get(kind) ?? kind;
}

/** Learns the families of attacks. */
export function learnFamilies(
  attacks: readonly Row[],
  { seed, damping }: { readonly seed: number; readonly damping: number },
): FamilyLearner {
  const families = [...new Set(attacks.map(familyOf))].sort();
  const lessons = lessonsOf(attacks, families, damping);
  const learned = learnKinds(lessons, { seed, kinds: families.length, featureCount: familyFeatureCount });
  return { families, biases: learned.biases, weights: learned.weights };
}

/** The family that the first window of a text looks like most. */
export function guessFamily({ families, biases, weights }: FamilyLearner, text: string, damping: number): string {
  const [first = [0, 0]] = windowsOf(text.length);
  const features = featuresOf(text, first);
  const about = { biases: [...biases], weights, featureCount: familyFeatureCount };
  const scores = kindScores({ features, share: shareOf(features, damping) }, about);
  return families[scores.indexOf(Math.max(...scores))] ?? "";
}

function lessonsOf(attacks: readonly Row[], families: readonly string[], damping: number): Lesson[] {
  return attacks.flatMap((row) => {
    const kind = families.indexOf(familyOf(row));
    return windowsOf(row.text.length)
      .slice(0, mostWindows)
      .map((window) => featuresOf(row.text, window))
      .map((features) => ({ kind, features, share: shareOf(features, damping) }));
  });
}

const list = new FeatureList();

function featuresOf(text: string, [from, to]: readonly [number, number] | readonly number[]): Int32Array {
  list.read(text, from ?? 0, to ?? 0);
  return Int32Array.from(list.features, familyFeatureOf);
}

function shareOf({ length }: Int32Array, damping: number): number {
  return 1 / Math.sqrt(length + damping);
}
