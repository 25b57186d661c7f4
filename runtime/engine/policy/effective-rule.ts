// A rule with all inherited settings, for comparing two versions of it.

import type { JsonObject } from "@bufbuild/protobuf";
import type { AskWhen, BackendUse } from "../backend/backend.ts";
import type { DetectorDefinition } from "../detectors/detector.ts";
import type {
  DetectTerm,
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
import {
  asReference,
  detectTerms,
  failModeOf,
  jointFailMode,
  resolveDetector,
  unlistedFailModeOf,
} from "./reference.ts";

/** The detectors of the catalog by id. */
export type Definitions = ReadonlyMap<string, DetectorDefinition>;

/** A detector of a rule with all inherited settings. */
export interface EffectiveTerm {
  /** Its name in the policy or in the catalog. */
  readonly name: string;
  /** Id in the catalog; the name itself when the catalog has no such detector. */
  readonly use: string;
  readonly definition: DetectorDefinition | undefined;
  readonly parameters: JsonObject;
  readonly threshold: number;
  /** Globs; undefined for all. */
  readonly categories: readonly string[] | undefined;
  readonly onError: FailModeName;
}

/** A rule with all inherited settings. */
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
  /** What it does with texts in languages that its detectors do not know. */
  readonly onUnlisted: FailModeName | "ignore";
  /** Whether it can change an outcome at all. */
  readonly counts: boolean;
}

/** Resolves a rule of a document. */
export function effectiveRule(
  rule: PolicyRule,
  document: PolicyDocument,
  definitions: Definitions,
  layer?: PackLayer,
  policy: PolicyDocument = document,
): EffectiveRule {
  const { terms, atLeast } = rule.detect === undefined ? { terms: [], atLeast: 0 } : detectTerms(rule.detect);
  const { mode, shadow, rollout } = layer === undefined ? ownEffect(rule, document) : effectInLayer(rule, layer);
  const percent = rollout?.percent ?? 100;
  const effective = terms.map((term) => effectiveTerm(term, rule, document, definitions));
  return {
    id: (layer?.prefix ?? "") + rule.id,
    rule,
    action: rule.action,
    mode,
    shadow,
    percent,
    by: rollout?.by ?? "session_id",
    onError:
      jointFailMode(
        effective.map(({ onError }) => onError),
        "fail_closed",
      ) ?? failModeOf(rule, undefined, document),
    style: rule.redact?.style ?? "placeholder",
    reversible: rule.redact?.reversible === true,
    terms: effective,
    atLeast,
    onUnlisted: unlistedMode(rule, document, policy, definitions),
    // A shadow that ends in enforcement counts, since it will be enforced later.
    counts: (mode === "enforce" || becomesEnforced(shadow)) && rule.action !== "ALLOW" && percent > 0,
  };
}

function unlistedMode(
  rule: PolicyRule,
  document: PolicyDocument,
  policy: PolicyDocument,
  definitions: Definitions,
): FailModeName | "ignore" {
  const unlisted = policy.defaults?.unsupported_language ?? document.defaults?.unsupported_language ?? "ignore";
  if (unlisted === "ignore" || rule.detect === undefined) return "ignore";
  const modes = detectTerms(rule.detect).terms.map((term) => {
    const detector = resolveDetector(document, asReference(term).ref, definitions);
    return unlistedFailModeOf(rule, detector, document);
  });
  return jointFailMode(modes, "fail_closed") ?? "ignore";
}

function effectiveTerm(
  term: DetectTerm,
  rule: PolicyRule,
  document: PolicyDocument,
  definitions: Definitions,
): EffectiveTerm {
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
    onError: failModeOf(rule, detector, document),
  };
}

// The backend is compared as a part of the detector, like its parameters.
function backendParameter(backend: BackendUse | undefined): JsonObject {
  if (backend === undefined) return {};
  const { key, categories, ask } = backend;
  if (categories === undefined && ask === undefined) return { backend: key };
  return {
    backend: {
      key,
      ...(categories !== undefined && { categories: { ...categories } }),
      ...(ask !== undefined && { ask: askParameter(ask) }),
    },
  };
}

function becomesEnforced(shadow: ShadowEnd | undefined): boolean {
  return shadow !== undefined && shadow.becomes !== "off";
}

function askParameter({ between, stages, origins }: AskWhen): JsonObject {
  return {
    ...(between !== undefined && { between: [...between] }),
    ...(stages !== undefined && { stages: [...stages] }),
    ...(origins !== undefined && { origins: [...origins] }),
  };
}
