// The enums of gates by their wire names.

import {
  type GateAction,
  GateActionSchema,
  type GateBaselineTest,
  GateBaselineTestSchema,
  type GateBound,
  type GateBounded,
  GateBoundedSchema,
  GateBoundSchema,
  type GateEnforcement,
  GateEnforcementSchema,
  type GateKind,
  GateKindSchema,
  type GateMetric,
  GateMetricSchema,
  type GateState,
  GateStateSchema,
} from "../../../../gen/policyguard/control/v1/gate_pb.ts";
import { wireNames } from "../../../data/wire-name.ts";

/** What gates ask. */
export const gateKinds = wireNames<GateKind>(GateKindSchema);
/** Calls that check gates. */
export const gateActions = wireNames<GateAction>(GateActionSchema);
/** What a gate does that does not pass. */
export const enforcements = wireNames<GateEnforcement>(GateEnforcementSchema);
/** How gates stand. */
export const gateStates = wireNames<GateState>(GateStateSchema);
/** Metrics of benchmarks. */
export const gateMetrics = wireNames<GateMetric>(GateMetricSchema);
/** Ends of a metric. */
export const gateBounds = wireNames<GateBound>(GateBoundSchema);
/** How a version is held against the baseline. */
export const baselineTests = wireNames<GateBaselineTest>(GateBaselineTestSchema);
/** What traces count as whose new outcome is only known to lie in a range. */
export const boundedNames = wireNames<GateBounded>(GateBoundedSchema);
