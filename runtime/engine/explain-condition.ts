// Conditions of a rule with their values, and those of their parts. The values are asked of the decision itself.

import { create } from "@bufbuild/protobuf";
import {
  type ConditionPart,
  ConditionPartSchema,
  type ExplainedCondition,
  ExplainedConditionSchema,
} from "../../gen/policyguard/policy/v1/explanation_pb.ts";
import type { Candidate } from "./candidate.ts";
import type { CompiledPolicy, CompiledRule } from "./compiled-policy.ts";
import type { Ask } from "./decide.ts";
import { type Condition, ConditionCompiler, isConditionProblem } from "./policy/condition.ts";
import { partsOf } from "./policy/condition-part.ts";

/** The most detections of one segment that a condition is shown for. */
const mostCandidates = 20;

/** Explains the conditions of one policy's rules. */
export class ConditionExplainer {
  readonly #ask: Ask;
  readonly #hasTime: () => boolean;
  readonly #compiler: ConditionCompiler;
  readonly #parts = new Map<string, { readonly joint: string; readonly conditions: readonly Condition[] }>();

  /** Conditions are asked as long as there is time: each may cost some, and there may be many. */
  constructor(policy: CompiledPolicy, ask: Ask, hasTime: () => boolean) {
    this.#ask = ask;
    this.#hasTime = hasTime;
    this.#compiler = new ConditionCompiler(policy.lists);
  }

  /** The conditions of a rule, asked of a segment and, where they read `finding`, of these detections in it. */
  conditionsOf(rule: CompiledRule, piece: number, candidates: readonly Candidate[]): ExplainedCondition[] {
    return (["when", "unless"] as const).flatMap((kind) => {
      const condition = rule[kind];
      if (condition === undefined) return [];
      if (!condition.reads.has("finding")) return [this.#explain(kind, condition, piece, undefined)];
      return candidates.slice(0, mostCandidates).map((candidate) => this.#explain(kind, condition, piece, candidate));
    });
  }

  #explain(
    kind: "when" | "unless",
    condition: Condition,
    piece: number,
    candidate: Candidate | undefined,
  ): ExplainedCondition {
    const { joint, conditions } = this.#partsOf(condition);
    return create(ExplainedConditionSchema, {
      kind,
      source: condition.source,
      category: candidate?.detection.category,
      start: candidate?.detection.start,
      ...this.#valueOf(condition, piece, candidate),
      joint,
      parts: conditions.map((part) => this.#part(part, piece, candidate)),
    });
  }

  #part(part: Condition, piece: number, candidate: Candidate | undefined): ConditionPart {
    return create(ConditionPartSchema, { source: part.source, ...this.#valueOf(part, piece, candidate) });
  }

  #valueOf(condition: Condition, piece: number, candidate: Candidate | undefined) {
    const value = this.#hasTime() ? this.#ask(condition, piece, candidate) : "not_asked";
    return typeof value === "boolean" ? { value, problem: "" } : { problem: value };
  }

  #partsOf({ source }: Condition) {
    let known = this.#parts.get(source);
    if (known === undefined) {
      const { joint, parts } = partsOf(source);
      const compiled = joint === "" ? [] : parts.map((part) => this.#compiler.compile(part));
      known = { joint, conditions: compiled.filter((part) => !isConditionProblem(part)) as Condition[] }; // just told apart
      this.#parts.set(source, known);
    }
    return known;
  }
}
