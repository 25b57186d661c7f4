// The conditions of a rule with their values, and the values of their parts. The decision itself evaluates them.

import { create } from "@bufbuild/protobuf";
import {
  type ConditionPart,
  ConditionPartSchema,
  type ExplainedCondition,
  ExplainedConditionSchema,
} from "../../../gen/policyguard/policy/v1/explanation_pb.ts";
import type { Ask } from "../decide/decide.ts";
import type { RuleHit } from "../decide/rule-hits.ts";
import { type Condition, ConditionCompiler, isConditionProblem } from "../policy/condition.ts";
import { partsOf } from "../policy/condition-part.ts";
import type { CompiledPolicy, CompiledRule } from "../policy-plan/compiled-policy.ts";

/** Maximum number of detections in one segment for which a condition is shown. */
const maxHits = 20;

/** Explains the conditions of one policy's rules. */
export class ConditionExplainer {
  readonly #ask: Ask;
  readonly #hasTime: () => boolean;
  readonly #compiler: ConditionCompiler;
  readonly #parts = new Map<string, { readonly joint: string; readonly conditions: readonly Condition[] }>();

  /** Conditions are evaluated while `hasTime` is true: each may be expensive, and there may be many. */
  constructor(policy: CompiledPolicy, ask: Ask, hasTime: () => boolean) {
    this.#ask = ask;
    this.#hasTime = hasTime;
    this.#compiler = new ConditionCompiler(policy.lists);
  }

  /** The conditions of a rule, evaluated for a segment and, if they read `finding`, for these hits in it. */
  conditionsOf(rule: CompiledRule, segment: number, hits: readonly RuleHit[]): ExplainedCondition[] {
    return (["when", "unless"] as const).flatMap((kind) => {
      const condition = rule[kind];
      if (condition === undefined) return [];
      if (!condition.reads.has("finding")) return [this.#explain(kind, condition, segment, undefined)];
      return hits.slice(0, maxHits).map((hit) => this.#explain(kind, condition, segment, hit));
    });
  }

  #explain(
    kind: "when" | "unless",
    condition: Condition,
    segment: number,
    hit: RuleHit | undefined,
  ): ExplainedCondition {
    const { joint, conditions } = this.#partsOf(condition);
    return create(ExplainedConditionSchema, {
      kind,
      source: condition.source,
      category: hit?.detection.category,
      start: hit?.detection.start,
      ...this.#valueOf(condition, segment, hit),
      joint,
      parts: conditions.map((part) => this.#part(part, segment, hit)),
    });
  }

  #part(part: Condition, segment: number, hit: RuleHit | undefined): ConditionPart {
    return create(ConditionPartSchema, { source: part.source, ...this.#valueOf(part, segment, hit) });
  }

  #valueOf(condition: Condition, segment: number, hit: RuleHit | undefined) {
    const value = this.#hasTime() ? this.#ask(condition, segment, hit) : "not_asked";
    return typeof value === "boolean" ? { value, problem: "" } : { problem: value };
  }

  #partsOf({ source }: Condition) {
    let known = this.#parts.get(source);
    if (known === undefined) {
      const { joint, parts } = partsOf(source);
      const compiled = joint === "" ? [] : parts.map((part) => this.#compiler.compileInForce(part));
      known = { joint, conditions: compiled.filter((part) => !isConditionProblem(part)) as Condition[] }; // just told apart
      this.#parts.set(source, known);
    }
    return known;
  }
}
