// What a detector of a bundle wants of a scan: the scanner and the streams ask for the same.

import type { DetectorSpec } from "./detector.ts";
import { detectorOf } from "./detectors/catalog.ts";
import type { Models, Plan } from "./plan.ts";

const known = new WeakMap<DetectorSpec, { readonly models: Models; readonly plan: Plan }>();

/** The plan of a detector, made once for each set of models. Throws for an unknown detector or for parameters that `check` refuses. */
export function planOf(spec: DetectorSpec, models: Models): Plan {
  const last = known.get(spec);
  if (last?.models === models) return last.plan;
  const plan = detectorOf(spec.use).plan(spec.parameters, models);
  known.set(spec, { models, plan });
  return plan;
}
