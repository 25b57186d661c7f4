// The plan of a detector of a bundle, which the scanner and the streams share.

import { detectorOf } from "../detectors/catalog.ts";
import type { DetectorSpec } from "../detectors/detector.ts";
import type { Models, Plan } from "../detectors/detector-plan.ts";
import { extendPlan } from "../overlay/extend-plan.ts";

const known = new WeakMap<DetectorSpec, { readonly models: Models; readonly plan: Plan }>();

/**
 * The plan of a detector, made once for each set of models. Throws for an unknown detector or for parameters that
 * `check` refuses.
 */
export function planOf(spec: DetectorSpec, models: Models): Plan {
  const last = known.get(spec);
  if (last?.models === models) return last.plan;
  const { use, parameters, overlay } = spec;
  const own = detectorOf(use).plan(parameters, models);
  const plan = overlay === undefined ? own : extendPlan(own, use, parameters, overlay);
  known.set(spec, { models, plan });
  return plan;
}
