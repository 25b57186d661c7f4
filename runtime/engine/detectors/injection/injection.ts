// The detector "injection": attempts to turn a model against its instructions. Patterns of many families are matched on normalised
// text and on decoded base64; each has a weight. A score joins the weights of all families that meet in one fixed window of the text
// (512 code units, every 256), as independent evidence: 1 - (1 - w1)(1 - w2)…

import type { JsonObject } from "@bufbuild/protobuf";
import type { Detection } from "../../detector.ts";
import { reads } from "../../normalize.ts";
import { type Detector, type PatternProbe, withoutInner } from "../../plan.ts";
import { compilePattern } from "../../regex.ts";
import { textParameter } from "../parameter.ts";
import { englishRules } from "./english.ts";
import { englishJailbreakRules } from "./english-jailbreak.ts";
import { asianRules } from "./language-asia.ts";
import { europeanRules } from "./language-europe.ts";
import { saidShare } from "./quotation.ts";
import { expandRule, type Rule } from "./rule.ts";

const rules: readonly Rule[] = [...englishRules, ...englishJailbreakRules, ...europeanRules, ...asianRules];
const categories = [...new Set(rules.map((rule) => `injection.${rule.family}`))].sort();
const windowLength = 512;
const windowStride = 256;
const leastScore = 0.05;

/** The joint weight from which each sensitivity takes a text for an attack. Scores are stretched so that this point becomes 0.5. */
const turningPoints: ReadonlyMap<string, number> = new Map([
  ["strict", 0.3],
  ["balanced", 0.5],
  ["permissive", 0.75],
]);

let compiled: readonly PatternProbe[] | undefined;

/** The detector "injection". */
export const injection: Detector = {
  definition: {
    id: "injection",
    displayName: "Prompt injection and jailbreak",
    description:
      "Finds attempts to override instructions, extract the system prompt, hijack the role, forge chat templates, suppress refusals or exfiltrate data, in 16 languages, also behind look-alike letters, invisible characters and base64. Persuasion without such wording needs a detector backend.",
    version: "1.0.0",
    category: "security",
    tags: ["injection", "jailbreak", "owasp-llm01"],
    categories,
    entities: [],
    languages: ["en", "es", "fr", "de", "it", "pt", "nl", "pl", "ru", "uk", "tr", "ar", "hi", "zh", "ja", "ko"],
    costClass: "linear",
    scope: "window",
    defaultThreshold: 0.5,
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        sensitivity: {
          enum: [...turningPoints.keys()],
          description:
            "How readily a text counts as an attack: strict finds more and errs more often, permissive the other way round.",
          default: "balanced",
        },
      },
    },
    check: () => [],
  },
  plan: (parameters) => {
    compiled ??= rules.map(probeOf);
    const turningPoint = turningPointOf(parameters);
    return {
      reads: reads.normal | reads.decoded,
      phrases: [],
      patterns: compiled,
      triggers: [],
      sweeps: [],
      settle: (detections) => score(withoutInner(detections), turningPoint),
    };
  },
};

function probeOf(rule: Rule): PatternProbe {
  const category = `injection.${rule.family}`;
  return {
    pattern: compilePattern(expandRule(rule.pattern), { ignoreCase: rule.caseSensitive !== true }),
    folded: true,
    accept: ({ start, end }, text) => ({ category, start, end, score: rule.weight * saidShare(text, start, end) }),
  };
}

function turningPointOf(parameters: JsonObject): number {
  const sensitivity = textParameter(parameters, "sensitivity", "balanced");
  const point = turningPoints.get(sensitivity);
  if (point === undefined) throw new Error(`the detector "injection" has no sensitivity "${sensitivity}"`);
  return point;
}

// A detection belongs to every window in which it begins, and takes the best of their scores.
function score(detections: readonly Detection[], turningPoint: number): Detection[] {
  const windows = new Map<number, Map<string, number>>();
  for (const detection of detections) {
    for (const start of windowStarts(detection.start)) {
      const weights = windows.get(start) ?? new Map<string, number>();
      weights.set(detection.category, Math.max(weights.get(detection.category) ?? 0, detection.score));
      windows.set(start, weights);
    }
  }
  const joint = new Map([...windows].map(([start, weights]) => [start, joined([...weights.values()])]));
  return detections
    .map((detection) => {
      const best = Math.max(...windowStarts(detection.start).map((start) => joint.get(start) ?? 0));
      return { ...detection, score: stretched(best, turningPoint) };
    })
    .filter((detection) => detection.score >= leastScore);
}

function windowStarts(offset: number): number[] {
  const last = Math.floor(offset / windowStride) * windowStride;
  return last >= windowStride ? [last - (windowLength - windowStride), last] : [last];
}

function joined(weights: readonly number[]): number {
  return 1 - weights.reduce((rest, weight) => rest * (1 - weight), 1);
}

function stretched(value: number, turningPoint: number): number {
  const half =
    value < turningPoint ? (value / turningPoint) * 0.5 : 0.5 + ((value - turningPoint) / (1 - turningPoint)) * 0.5;
  return Math.round(half * 1000) / 1000;
}
