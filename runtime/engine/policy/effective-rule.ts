// A rule as it is evaluated, with everything that it inherits, for comparing two versions of it.

import type { JsonObject } from "@bufbuild/protobuf";
import type { BackendUse } from "../backend.ts";
import type { DetectorDefinition } from "../detector.ts";
import type {
  FailModeName,
  ModeName,
  OutcomeName,
  PolicyDocument,
  PolicyRule,
  RedactStyle,
  RolloutKey,
  ShadowEnd,
} from "./document.ts";
import { effectInLayer, ownEffect, type PackLayer } from "./extend.ts";
import { asReference, detectTerms, resolveDetector } from "./reference.ts";

/** The detectors of the catalog by id. */
export type Definitions = ReadonlyMap<string, DetectorDefinition>;

/** A detector of a rule with everything that it inherits. */
export interface EffectiveTerm {
  /** Its name in the policy or in the catalog. */
  readonly name: string;
  /** Id in the catalog; the name itself where the catalog has none. */
  readonly use: string;
  readonly definition: DetectorDefinition | undefined;
  readonly parameters: JsonObject;
  readonly threshold: number;
  /** Globs; undefined for all. */
  readonly categories: readonly string[] | undefined;
  readonly onError: FailModeName;
}

/** A rule with everything that it inherits. */
export interface EffectiveRule {
  readonly id: string;
  readonly rule: PolicyRule;
  readonly action: OutcomeName;
  readonly mode: ModeName;
  readonly shadow: ShadowEnd | undefined;
  readonly percent: number;
  readonly by: RolloutKey;
  readonly onError: FailModeName;
  readonly style: RedactStyle;
  readonly reversible: boolean;
  readonly terms: readonly EffectiveTerm[];
  readonly atLeast: number;
  /** Whether it can change an outcome at all. */
  readonly counts: boolean;
}

/** Resolves a rule of a document. */
export function effectiveRule(
  rule: PolicyRule,
  document: PolicyDocument,
  definitions: Definitions,
  layer?: PackLayer,
): EffectiveRule {
  const { terms, atLeast } = rule.detect === undefined ? { terms: [], atLeast: 0 } : detectTerms(rule.detect);
  const { mode, shadow, rollout } = layer === undefined ? ownEffect(rule, document) : effectInLayer(rule, layer);
  const percent = rollout?.percent ?? 100;
  return {
    id: (layer?.prefix ?? "") + rule.id,
    rule,
    action: rule.action,
    mode,
    shadow,
    percent,
    by: rollout?.by ?? "session_id",
    onError: rule.on_error ?? document.defaults?.on_error ?? "fail_closed",
    style: rule.redact?.style ?? "placeholder",
    reversible: rule.redact?.reversible === true,
    terms: terms.map((term) => {
      const { ref, entities, categories, threshold } = asReference(term);
      const detector = resolveDetector(document, ref, definitions);
      const parameters = { ...detector?.parameters, ...backendParameter(detector?.backend) };
      return {
        name: ref,
        use: detector?.definition.id ?? ref,
        definition: detector?.definition,
        parameters: entities === undefined ? parameters : { ...parameters, entities: [...entities] },
        threshold: threshold ?? detector?.threshold ?? 0,
        categories,
        onError: rule.on_error ?? detector?.onError ?? document.defaults?.on_error ?? "fail_closed",
      };
    }),
    atLeast,
    // A shadow that ends in enforcement counts: it is only a matter of time.
    counts: (mode === "enforce" || becomesEnforced(shadow)) && rule.action !== "ALLOW" && percent > 0,
  };
}

// What a backend adds is a part of the detector, as its parameters are.
function backendParameter(backend: BackendUse | undefined): JsonObject {
  if (backend === undefined) return {};
  const { key, categories } = backend;
  return { backend: categories === undefined ? key : { key, categories: { ...categories } } };
}

function becomesEnforced(shadow: ShadowEnd | undefined): boolean {
  return shadow !== undefined && shadow.becomes !== "off";
}
