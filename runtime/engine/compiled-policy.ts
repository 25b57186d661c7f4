// A policy in the form in which it is evaluated: names resolved, conditions compiled, defaults applied.

import type { JsonObject } from "@bufbuild/protobuf";
import { type FailMode, Mode, Outcome, Severity, type Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { DetectorDefinition, DetectorSpec } from "./detector.ts";
import { type Condition, ConditionCompiler, isConditionProblem } from "./policy/condition.ts";
import type {
  DetectTerm,
  PolicyDocument,
  PolicyExemption,
  PolicyRule,
  RedactStyle,
  RolloutKey,
} from "./policy/document.ts";
import { asReference, detectTerms, resolveDetector } from "./policy/reference.ts";
import { failModes, modes, outcomes, severities, stages } from "./wire.ts";

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
}

/** One detector of a rule. */
export interface CompiledTerm {
  /** The detector's name in the policy or in the catalog. */
  readonly detector: string;
  readonly specKey: string;
  readonly threshold: number;
  /** Globs over categories; undefined for all. */
  readonly categories: readonly string[] | undefined;
  readonly onError: FailMode;
}

/** A rule ready to be judged. */
export interface CompiledRule {
  readonly id: string;
  /** Place among the rules of the policy. */
  readonly index: number;
  readonly stages: ReadonlySet<Stage>;
  readonly terms: readonly CompiledTerm[];
  /** How many terms have to be found in one piece. */
  readonly atLeast: number;
  readonly when: Condition | undefined;
  readonly unless: Condition | undefined;
  readonly action: Outcome;
  readonly severity: Severity;
  readonly category: string | undefined;
  readonly messages: ReadonlyMap<string, string>;
  readonly mode: Mode;
  readonly rollout: { readonly percent: number; readonly by: RolloutKey } | undefined;
  readonly style: RedactStyle;
  /** What a condition without a value means. */
  readonly onError: FailMode;
}

/** An exemption ready to be judged. */
export interface CompiledExemption {
  readonly id: string;
  readonly when: Condition;
  readonly rules: readonly string[];
  /** Milliseconds since 1970; infinity for never. */
  readonly expiresMs: number;
}

/** A policy ready to be evaluated. */
export interface CompiledPolicy {
  readonly policyId: string;
  readonly name: string;
  readonly version: number;
  readonly scope: PolicyScope;
  readonly agents: readonly string[] | undefined;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Those that are evaluated. */
  readonly rules: readonly CompiledRule[];
  /** Those whose mode is off. */
  readonly offRules: readonly CompiledRule[];
  readonly exemptions: readonly CompiledExemption[];
  readonly timeoutMs: number;
  /** The most of the text that may be reported. */
  readonly record: "none" | "redacted" | "full";
}

const defaultTimeoutMs = 1000;

const defaultSeverity = new Map<Outcome, Severity>([
  [Outcome.BLOCK, Severity.HIGH],
  [Outcome.REDACT, Severity.MEDIUM],
  [Outcome.FLAG, Severity.LOW],
]);

/** Collects the detectors of all policies, each distinct one once, so that a text is scanned once for all of them. */
export class SpecTable {
  readonly #keys = new Map<string, string>();
  readonly #names = new Map<string, Set<string>>();
  readonly specs: DetectorSpec[] = [];

  /** The key of a detector with these parameters. `name` is what the policy calls it. */
  keyOf(use: string, parameters: JsonObject, name: string): string {
    const identity = JSON.stringify([use, sortedJson(parameters)]);
    let key = this.#keys.get(identity);
    if (key === undefined) {
      key = `${use}#${this.specs.length}`;
      this.#keys.set(identity, key);
      this.#names.set(key, new Set());
      this.specs.push({ key, use, parameters });
    }
    this.#names.get(key)?.add(name);
    return key;
  }

  /** What policies call the detector, sorted. */
  namesOf(key: string): string[] {
    return [...(this.#names.get(key) ?? [])].sort();
  }
}

/** Compiles one valid policy. */
export function compilePolicy(
  source: PolicySource,
  document: PolicyDocument,
  definitions: ReadonlyMap<string, DetectorDefinition>,
  specs: SpecTable,
): CompiledPolicy {
  const { policyId, name, version, scope } = source;
  const conditions = new ConditionCompiler(document.lists ?? {});
  const rules = document.rules.map((rule, index) =>
    compileRule(rule, index, document, { conditions, definitions, specs }),
  );
  return {
    policyId,
    name,
    version,
    scope,
    agents: document.match?.agents,
    lists: document.lists ?? {},
    rules: rules.filter(({ mode }) => mode !== Mode.OFF),
    offRules: rules.filter(({ mode }) => mode === Mode.OFF),
    exemptions: (document.exemptions ?? []).map((exemption) => compileExemption(exemption, conditions)),
    timeoutMs: document.defaults?.timeout_ms ?? defaultTimeoutMs,
    record: document.defaults?.record ?? "full",
  };
}

interface Tools {
  readonly conditions: ConditionCompiler;
  readonly definitions: ReadonlyMap<string, DetectorDefinition>;
  readonly specs: SpecTable;
}

function compileRule(rule: PolicyRule, index: number, document: PolicyDocument, tools: Tools): CompiledRule {
  const mode = modes[rule.mode ?? document.defaults?.mode ?? "enforce"];
  const { terms, atLeast } = rule.detect === undefined ? { terms: [], atLeast: 0 } : detectTerms(rule.detect);
  const action = outcomes[rule.action];
  const compiled = mode === Mode.OFF ? [] : terms.map((term) => compileTerm(term, rule, document, tools));
  return {
    id: rule.id,
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
    rollout:
      rule.rollout === undefined ? undefined : { percent: rule.rollout.percent, by: rule.rollout.by ?? "session_id" },
    style: rule.redact?.style ?? "placeholder",
    onError: failModes[rule.on_error ?? document.defaults?.on_error ?? "fail_closed"],
  };
}

function compileTerm(term: DetectTerm, rule: PolicyRule, document: PolicyDocument, tools: Tools): CompiledTerm {
  const { ref, entities, categories, threshold } = asReference(term);
  const detector = resolveDetector(document, ref, tools.definitions);
  if (detector === undefined) throw new Error(`rule ${rule.id}: no detector ${ref}`);
  const parameters = entities === undefined ? detector.parameters : { ...detector.parameters, entities: [...entities] };
  return {
    detector: ref,
    specKey: tools.specs.keyOf(detector.definition.id, parameters, ref),
    threshold: threshold ?? detector.threshold,
    categories,
    onError: failModes[rule.on_error ?? detector.onError ?? document.defaults?.on_error ?? "fail_closed"],
  };
}

function compileExemption(exemption: PolicyExemption, conditions: ConditionCompiler): CompiledExemption {
  const { id, when, rules, expires } = exemption;
  const expiresMs = expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
  return { id, when: compileCondition(when, conditions), rules, expiresMs };
}

function compileCondition(source: string, conditions: ConditionCompiler): Condition {
  const result = conditions.compile(source);
  if (isConditionProblem(result)) throw new Error(`the condition ${source} is not valid: ${result.message}`);
  return result;
}

function messagesOf(message: PolicyRule["message"]): ReadonlyMap<string, string> {
  if (message === undefined) return new Map();
  if (typeof message === "string") return new Map([["", message]]);
  const entries = Object.entries(message).map(([language, text]): [string, string] => [language.toLowerCase(), text]);
  // Sorted, because "the first" must not depend on how a store keeps keys.
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, child]) => [key, sortedJson(child)]);
}
