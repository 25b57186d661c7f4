// The detector "backend" has no local part: all its findings come from a detector backend of the organization.

import { reads } from "../text/normalize.ts";
import type { Detector } from "./detector-plan.ts";

/** The detector "backend". */
export const backend: Detector = {
  definition: {
    id: "backend",
    displayName: "Detector backend",
    description:
      "An organization's own HTTP detector, such as a classifier or a moderation model, which runtimes call from within its network. The policy names it by its key in `backend` and may map its labels to categories. The control plane never calls it.",
    version: "1.0.0",
    category: "custom",
    tags: ["custom", "model", "http"],
    categories: ["backend.<label>"],
    entities: [],
    languages: ["*"],
    costClass: "backend",
    scope: "whole",
    defaultThreshold: 0.5,
    floor: 0,
    parameters: { type: "object", additionalProperties: false, properties: {} },
    references: [
      "https://github.com/foundation-model-stack/fms-guardrails-orchestrator",
      "https://microsoft.github.io/presidio/api-docs/api-docs.html",
      "https://platform.openai.com/docs/api-reference/moderations",
    ],
    // None: the findings of a backend depend on its operator; `npm run bench -- detection --data` measures only the
    // built-in detectors.
    measures: [],
    examples: [{ text: "What it finds, its server says.", categories: [] }],
    check: () => [],
  },
  plan: () => ({
    reads: reads.given,
    phrases: [],
    patterns: [],
    triggers: [],
    sweeps: [],
    settle: (detections) => detections,
  }),
};
