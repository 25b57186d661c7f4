// The detectors that policies may use. One list serves the engine, the policy editor and the public hub.

import { backend } from "./backend.ts";
import { canary } from "./canary/canary.ts";
import { code } from "./code/code.ts";
import { contentSafety } from "./content-safety/content-safety.ts";
import type { DetectorDefinition } from "./detector.ts";
import type { Detector } from "./detector-plan.ts";
import { encoding } from "./encoding/encoding.ts";
import { gibberish } from "./gibberish/gibberish.ts";
import { injection } from "./injection/injection.ts";
import { keywords } from "./keywords.ts";
import { language } from "./language/language.ts";
import { length } from "./length/length.ts";
import { pii } from "./pii/pii.ts";
import { profanity } from "./profanity/profanity.ts";
import { regex } from "./regex.ts";
import { repetition } from "./repetition/repetition.ts";
import { secrets } from "./secrets/secrets.ts";
import { selfHarm } from "./self-harm/self-harm.ts";
import { topics } from "./topics/topics.ts";
import { toxicity } from "./toxicity/toxicity.ts";
import { unicode } from "./unicode/unicode.ts";
import { url } from "./url/url.ts";

const detectors: readonly Detector[] = [
  backend,
  canary,
  code,
  contentSafety,
  encoding,
  gibberish,
  injection,
  keywords,
  language,
  length,
  pii,
  profanity,
  regex,
  repetition,
  secrets,
  selfHarm,
  topics,
  toxicity,
  unicode,
  url,
];
const byId: ReadonlyMap<string, Detector> = new Map(detectors.map((detector) => [detector.definition.id, detector]));

/** All detectors, ordered by id. */
export const catalog: readonly DetectorDefinition[] = detectors.map((detector) => detector.definition);

/** The definition of a detector, if the catalog has it. */
export function detectorDefinition(id: string): DetectorDefinition | undefined {
  return byId.get(id)?.definition;
}

/** A detector of the catalog. Throws for an unknown id. */
export function detectorOf(id: string): Detector {
  const detector = byId.get(id);
  if (detector === undefined) throw new Error(`the catalog has no detector "${id}"`);
  return detector;
}
