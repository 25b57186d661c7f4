// The detector "gibberish" finds spans that people rarely write, such as suffixes that a machine optimised against a
// model (Zou et al., "Universal and Transferable Adversarial Attacks on Aligned Language Models", 2023) and random
// characters. A trigram model measures how surprising 64 consecutive symbols are; the most surprising span of each
// fixed window (512 code units, every 256) decides.

import type { JsonObject } from "@bufbuild/protobuf";
import { reads } from "../../text/normalize.ts";
import type { Detector, ScoreWindow, WindowProbe } from "../detector-plan.ts";
import { windowsOf } from "../injection/feature.ts";
import { createModelFinder } from "../model-file.ts";
import { textParameter } from "../parameter.ts";
import { type GibberishModel, readGibberishModel } from "./model.ts";

const category = "gibberish.surprise";
const sensitivities = ["strict", "balanced", "permissive"] as const;
const minScore = 0.05;
/** How much the score rises with each bit. */
const steepness = 3;

/** The detector "gibberish". */
export const gibberish: Detector = {
  definition: {
    id: "gibberish",
    displayName: "Gibberish and optimised suffixes",
    description:
      "Finds stretches of text that hardly anybody writes: strings that a machine optimised to get past a model's refusals, and random characters. Judges letters of the Latin script and punctuation only, other scripts are never gibberish to it; long identifiers, addresses and codes are passed over.",
    version: "1.0.0",
    category: "security",
    tags: ["jailbreak", "suffix", "perplexity"],
    categories: [category],
    entities: [],
    // Any language that is written in Latin letters.
    languages: ["und-Latn"],
    costClass: "model",
    scope: "window",
    defaultThreshold: 0.5,
    floor: minScore,
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        sensitivity: {
          enum: [...sensitivities],
          description: "How readily a stretch counts as gibberish: strict finds more and errs more often.",
          default: "balanced",
        },
      },
    },
    references: ["https://arxiv.org/abs/2307.15043", "https://arxiv.org/abs/2309.00614"],
    measures: [
      {
        name: "innocent texts wrongly found",
        value: 0.002,
        data: "7,473 texts that were not trained on, but set the threshold",
      },
      {
        name: "strings of the bench found",
        value: 0.68,
        data: "250 made-up strings, by whose total one of several trainings was chosen; of 350 texts chosen to come close 0.17 are wrongly found",
      },
      { name: "random letters found", value: 1, data: "200 made-up strings" },
    ],
    // Findings need weights that are given to the engine; the detector's test has example texts.
    examples: [{ text: "How long do I boil an egg, and does it matter how old it is?", categories: [] }],
    check: () => [],
  },
  plan: (parameters, models) => ({
    reads: reads.normal,
    phrases: [],
    patterns: [],
    triggers: [],
    sweeps: [],
    window: windowProbe(modelOf(models), parameters),
    settle: (detections) => detections,
  }),
};

const modelOf = createModelFinder("gibberish", readGibberishModel);

// Without weights the detector finds nothing.
function windowProbe(model: GibberishModel | undefined, parameters: JsonObject): WindowProbe | undefined {
  if (model === undefined) return undefined;
  const given = textParameter(parameters, "sensitivity", "balanced");
  const sensitivity = sensitivities.find((name) => name === given);
  if (sensitivity === undefined) throw new Error(`the detector "gibberish" has no sensitivity "${given}"`);
  const point = model.header.points[sensitivity];
  const scoreFrom =
    (minScore: number): ScoreWindow =>
    (text, from, to) => {
      const worst = model.worst(text, from, to);
      if (worst === undefined) return undefined;
      const score = Math.round(1000 / (1 + Math.exp(steepness * (point - worst.bits)))) / 1000;
      const attributes = { basis: "surprise of trigrams" };
      return score < minScore ? undefined : { category, start: worst.start, end: worst.end, score, attributes };
    };
  return { windowsOf, reach: 0, open: () => scoreFrom(minScore), faint: () => scoreFrom(0) };
}
