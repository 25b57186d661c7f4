// A policy ready for evaluation: names resolved, conditions compiled, defaults applied.

import type { JsonObject } from "@bufbuild/protobuf";
import { FailMode, Mode, Outcome, Severity, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { DetectorDefinition } from "../detectors/detector.ts";
import { textsParameter } from "../detectors/parameter.ts";
import { type Condition, ConditionCompiler, isConditionProblem } from "../policy/condition.ts";
import type {
  DetectTerm,
  PolicyDocument,
  PolicyExemption,
  PolicyRule,
  RedactStyle,
  RolloutKey,
  ShadowEnd,
} from "../policy/document.ts";
import { failModes, modes, outcomes, severities, stages } from "../policy/enum-names.ts";
import { effectInLayer, ownEffect, type PackLayer, type PackSource, type RuleEffect } from "../policy/extend.ts";
import type { ListDeclarations } from "../policy/list.ts";
import type { ParsedPolicy } from "../policy/parse.ts";
import {
  asReference,
  detectTerms,
  failModeOf,
  jointFailMode,
  type ResolvedDetector,
  resolveDetector,
  unlistedFailModeOf,
} from "../policy/reference.ts";
import type { SpecTable } from "../scan/spec-table.ts";

/** Where a policy applies; "*" means all. */
export interface PolicyScope {
  readonly tenantId: string;
  readonly appId: string;
  readonly agentId: string;
  readonly env: string;
}

/** A policy of a bundle. */
export interface PolicySource {
  readonly policyId: string;
  readonly name: string;
  readonly version: number;
  readonly scope: PolicyScope;
  readonly document: JsonObject | PolicyDocument;
  /** Finds the packs that the policy extends. Default: none are available. */
  readonly packs?: PackSource;
  /** The result of parsing the document, when that was done before; undefined to parse it here. */
  readonly reading?: Pick<ParsedPolicy, "policy" | "packs" | "problems">;
}

/** One detector of a rule. */
export interface CompiledTerm {
  /** The detector's name in the policy or in the catalog. */
  readonly detector: string;
  readonly specKey: string;
  /** The backend that is asked as well. */
  readonly backend: string | undefined;
  readonly threshold: number;
  /** Globs over categories; undefined for all categories. */
  readonly categories: readonly string[] | undefined;
  readonly onError: FailMode;
  /** The detector's own time budget, in milliseconds since the evaluation began. */
  readonly timeoutMs: number | undefined;
  /**
   * Present when texts in other languages than those that the detector knows are unjudged. For a detector with a
   * backend: where its policy does not ask that.
   */
  readonly known: KnownLanguages | undefined;
}

/** The languages that a detector knows, where texts in others are unjudged. */
export interface KnownLanguages {
  /** BCP 47 tags. */
  readonly tags: ReadonlySet<string>;
  readonly onError: FailMode;
}

/** A rule ready for evaluation. */
export interface CompiledRule {
  /** Unique in the policy. The id of a pack's rule begins with the pack, such as "pii-eu/email". */
  readonly id: string;
  /** Index among the rules of the policy. */
  readonly index: number;
  readonly stages: ReadonlySet<Stage>;
  readonly terms: readonly CompiledTerm[];
  /** How many terms must have a hit in one segment. */
  readonly atLeast: number;
  readonly when: Condition | undefined;
  readonly unless: Condition | undefined;
  readonly action: Outcome;
  readonly severity: Severity;
  readonly category: string | undefined;
  readonly messages: ReadonlyMap<string, string>;
  /** The mode as written; `modeAt` in rollout.ts gives the mode at a point in time. */
  readonly mode: Mode;
  /** Until when an override keeps the rule in shadow, in milliseconds since 1970; absent without an override. */
  readonly demotedUntilMs?: number;
  /** When a shadow rule ends, and its mode afterwards. */
  readonly shadowEnd: { readonly atMs: number; readonly becomes: Mode } | undefined;
  readonly rollout: { readonly percent: number; readonly by: RolloutKey } | undefined;
  readonly style: RedactStyle;
  /**
   * Present when originals may be put back; `ttlMs` limits how long they are kept, undefined means as long as the
   * session.
   */
  readonly reversible: { readonly ttlMs: number | undefined } | undefined;
  /** Controls of frameworks that the rule serves. */
  readonly controls: readonly string[];
  /** The rule belongs to a pack, and documents that extend the pack cannot weaken it. */
  readonly isLocked: boolean;
  /** How a condition without a value counts, unless it is evaluated for a finding of one detector. */
  readonly onError: FailMode;
}

/** An exemption ready for evaluation. */
export interface CompiledExemption {
  readonly id: string;
  readonly when: Condition;
  readonly rules: readonly string[];
  /** Milliseconds since 1970; infinity for never. */
  readonly expiresMs: number;
  /**
   * The document that has the exemption: 0 for the document of the rules, 1 for the document that extends it, and so
   * on.
   */
  readonly level: number;
  /** The prefix of rule ids that its globs do not include. */
  readonly prefix: string;
}

/** A policy ready for evaluation. */
export interface CompiledPolicy {
  readonly policyId: string;
  readonly name: string;
  readonly version: number;
  readonly scope: PolicyScope;
  readonly agents: readonly string[] | undefined;
  /** Prefix of its rule ids: "" for a policy's own rules, "pii-eu/" for the rules of a pack that it extends. */
  readonly prefix: string;
  readonly lists: ListDeclarations;
  /** Lists of the documents that extend this one, the nearest first; the exemptions of those documents read them. */
  readonly outerLists: readonly ListDeclarations[];
  /** The rules that are evaluated. */
  readonly rules: readonly CompiledRule[];
  /** The rules whose mode is off. */
  readonly offRules: readonly CompiledRule[];
  readonly exemptions: readonly CompiledExemption[];
  readonly timeoutMs: number;
  /** The largest part of the text that may be reported. */
  readonly record: "none" | "redacted" | "full";
}

/** Time limit of an evaluation when no policy sets one, in milliseconds. */
export const defaultTimeoutMs = 1000;

const defaultSeverity = new Map<Outcome, Severity>([
  [Outcome.BLOCK, Severity.HIGH],
  [Outcome.REDACT, Severity.MEDIUM],
  [Outcome.FLAG, Severity.LOW],
]);

/** Compiles one valid policy step by step: its own rules, then the rules of each pack that it extends. */
export function* policySteps(
  source: PolicySource,
  document: PolicyDocument,
  packs: readonly PackLayer[],
  tools: { readonly definitions: ReadonlyMap<string, DetectorDefinition>; readonly specs: SpecTable },
): Generator<void, CompiledPolicy[]> {
  const compiled = [yield* documentSteps(source, document, undefined, { ...tools, firstIndex: 0 })];
  let index = document.rules.length;
  for (const layer of packs) {
    compiled.push(yield* documentSteps(source, document, layer, { ...tools, firstIndex: index }));
    index += layer.document.rules.length;
  }
  return compiled;
}

/** Compiles the rules of the policy, or of one of its packs. */
function* documentSteps(
  { policyId, name, version, scope }: PolicySource,
  policy: PolicyDocument,
  layer: PackLayer | undefined,
  { definitions, specs, firstIndex }: Omit<Tools, "conditions"> & { readonly firstIndex: number },
): Generator<void, CompiledPolicy> {
  const document = layer?.document ?? policy;
  const prefix = layer?.prefix ?? "";
  const conditions = new ConditionCompiler(document.lists ?? {});
  const rules: CompiledRule[] = [];
  for (const [index, rule] of document.rules.entries()) {
    const effect = layer === undefined ? ownEffect(rule, document) : effectInLayer(rule, layer);
    const position = { document, policy, prefix, effect, index: firstIndex + index };
    rules.push(compileRule(rule, position, { conditions, definitions, specs }));
    yield;
  }
  const outer = (layer?.extendedBy ?? []).map((extender) => ({ ...extender, lists: extender.document.lists ?? {} }));
  const inherited = outer.flatMap(({ document: { exemptions = [] }, prefix: above, lists }, level) => {
    const compiler = new ConditionCompiler(lists);
    return exemptions.map((each) => compileExemption(each, compiler, { level: level + 1, prefix: above }));
  });
  return {
    ...{ policyId, name, version, scope, prefix },
    agents: policy.match?.agents,
    lists: document.lists ?? {},
    outerLists: outer.map(({ lists }) => lists),
    rules: rules.filter(({ mode }) => mode !== Mode.OFF),
    offRules: rules.filter(({ mode }) => mode === Mode.OFF),
    exemptions: [
      ...(document.exemptions ?? []).map((each) => compileExemption(each, conditions, { level: 0, prefix })),
      ...inherited,
    ],
    timeoutMs: policy.defaults?.timeout_ms ?? document.defaults?.timeout_ms ?? defaultTimeoutMs,
    record: document.defaults?.record ?? "full",
  };
}

interface Tools {
  readonly conditions: ConditionCompiler;
  readonly definitions: ReadonlyMap<string, DetectorDefinition>;
  readonly specs: SpecTable;
}

/** The documents of a rule, with the settings that they determine. */
interface RulePosition {
  readonly document: PolicyDocument;
  readonly policy: PolicyDocument;
  readonly prefix: string;
  readonly effect: RuleEffect;
  readonly index: number;
}

function compileRule(rule: PolicyRule, position: RulePosition, tools: Tools): CompiledRule {
  const { document, policy, prefix, effect, index } = position;
  const mode = modes[effect.mode];
  const { terms, atLeast } = rule.detect === undefined ? { terms: [], atLeast: 0 } : detectTerms(rule.detect);
  const action = outcomes[rule.action];
  const compiled = mode === Mode.OFF ? [] : terms.map((term) => compileTerm(term, rule, position, tools));
  const { rollout } = effect;
  return {
    id: prefix + rule.id,
    index,
    stages: new Set(rule.stages.map((stage) => stages[stage])),
    terms: compiled,
    atLeast,
    when: rule.when === undefined ? undefined : compileCondition(rule.when, tools.conditions),
    unless: rule.unless === undefined ? undefined : compileCondition(rule.unless, tools.conditions),
    action,
    severity: rule.severity === undefined ? (defaultSeverity.get(action) ?? Severity.INFO) : severities[rule.severity],
    category: rule.category,
    messages: messagesOf(rule.message),
    mode,
    shadowEnd: shadowEndOf(effect.shadow),
    rollout: rollout === undefined ? undefined : { percent: rollout.percent, by: rollout.by ?? "session_id" },
    style: rule.redact?.style ?? "placeholder",
    reversible: rule.redact?.reversible === true ? { ttlMs: durationMs(rule.redact.ttl) } : undefined,
    controls: distinctSorted(
      [policy.metadata.controls, document.metadata.controls, rule.controls].flatMap((each) => each ?? []),
    ),
    isLocked: rule.locked === true && prefix !== "",
    onError:
      jointFailMode(
        compiled.map(({ onError }) => onError),
        FailMode.FAIL_CLOSED,
      ) ?? failModes[failModeOf(rule, undefined, document)],
  };
}

function shadowEndOf(shadow: ShadowEnd | undefined): CompiledRule["shadowEnd"] {
  if (shadow === undefined) return undefined;
  return { atMs: Date.parse(shadow.until), becomes: modes[shadow.becomes ?? "enforce"] };
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** The milliseconds of a duration such as "30m"; undefined for none. */
function durationMs(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  return Number(duration.slice(0, -1)) * (unitMs[duration.slice(-1)] ?? 0);
}

function distinctSorted(items: readonly string[]): string[] {
  return [...new Set(items)].sort();
}

function compileTerm(
  term: DetectTerm,
  rule: PolicyRule,
  { document, policy }: Pick<RulePosition, "document" | "policy">,
  tools: Tools,
): CompiledTerm {
  const { ref, entities, categories, threshold } = asReference(term);
  const detector = resolveDetector(document, ref, tools.definitions);
  if (detector === undefined) throw new Error(`rule ${rule.id}: no detector ${ref}`);
  const parameters = entities === undefined ? detector.parameters : { ...detector.parameters, entities: [...entities] };
  const unlisted = policy.defaults?.unsupported_language ?? document.defaults?.unsupported_language ?? "ignore";
  const onUnlisted = failModes[unlistedFailModeOf(rule, detector, document)];
  return {
    detector: ref,
    specKey: specKeyOf(ref, { ...detector, parameters }, tools.specs),
    backend: detector.backend?.key,
    threshold: threshold ?? detector.threshold,
    categories,
    onError: failModes[failModeOf(rule, detector, document)],
    timeoutMs: detector.timeoutMs,
    known: unlisted === "ignore" ? undefined : knownLanguagesOf({ ...detector, parameters }, tools.specs, onUnlisted),
  };
}

// A backend answers for its detector in every language, but only where it is asked.
function knownLanguagesOf(detector: ResolvedDetector, specs: SpecTable, onError: FailMode): KnownLanguages | undefined {
  const { definition, parameters, backend } = detector;
  const listed = textsParameter(parameters, "languages") ?? definition.languages;
  const isAlone = backend === undefined || (backend.ask !== undefined && definition.id !== "backend");
  if (!isAlone || listed.some((tag) => tag === "*" || tag.startsWith("und"))) return undefined;
  return { tags: new Set([...listed, ...specs.overlayLanguages(definition.id, parameters)]), onError };
}

function specKeyOf(ref: string, { definition, parameters, backend }: ResolvedDetector, specs: SpecTable): string {
  if (backend === undefined) return specs.keyOf(definition.id, parameters, ref);
  // The detector "backend" has no local part that could scan the text.
  const inner = definition.id === "backend" ? undefined : specs.keyOf(definition.id, parameters);
  return specs.backedKeyOf(inner, backend, ref);
}

function compileExemption(
  exemption: PolicyExemption,
  conditions: ConditionCompiler,
  { level, prefix }: { readonly level: number; readonly prefix: string },
): CompiledExemption {
  const { id, when, rules, expires } = exemption;
  const expiresMs = expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
  return { id: prefix + id, when: compileCondition(when, conditions), rules, expiresMs, level, prefix };
}

function compileCondition(source: string, conditions: ConditionCompiler): Condition {
  const result = conditions.compileInForce(source);
  if (isConditionProblem(result)) throw new Error(`the condition ${source} is not valid: ${result.message}`);
  return result;
}

function messagesOf(message: PolicyRule["message"]): ReadonlyMap<string, string> {
  if (message === undefined) return new Map();
  if (typeof message === "string") return new Map([["", message]]);
  const entries = Object.entries(message).map(([language, text]): [string, string] => [language.toLowerCase(), text]);
  // Sorted, so that "the first" does not depend on the order in which a store keeps keys.
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
