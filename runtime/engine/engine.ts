// Compiles the policies of a bundle to an engine. Policies are checked again here, since a bundle may come from another
// version.

import type { JsonValue } from "@bufbuild/protobuf";
import type { EvaluateRequest } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../gen/policyguard/policy/v1/record_pb.ts";
import type { BackendQuestion } from "./backend/backend.ts";
import { conditionName } from "./decide/match.ts";
import { catalog } from "./detectors/catalog.ts";
import type { DetectorDefinition, DetectorSpec, Scanner } from "./detectors/detector.ts";
import type { Models } from "./detectors/detector-plan.ts";
import { type AskingContext, questionsOf } from "./evaluate/backend-question.ts";
import type { EvaluationContext } from "./evaluate/context.ts";
import { type Evaluation, runEvaluation } from "./evaluate/evaluation.ts";
import { specIndexOf } from "./evaluate/spec-index.ts";
import { type ExplainedEvaluation, runExplanation, summaryOf } from "./explain/explain.ts";
import type { Overlay } from "./languages/overlay.ts";
import { mergeOverlays } from "./languages/overlay-set.ts";
import { parsePolicyInForce } from "./policy/parse.ts";
import { PolicyInvalid } from "./policy/problem.ts";
import { Applicability, type ApplicablePolicy, type NamedList } from "./policy-plan/applicability.ts";
import {
  type CompiledPolicy,
  type CompiledRule,
  type PolicySource,
  policySteps,
} from "./policy-plan/compiled-policy.ts";
import { type Replayed, type ReplayOptions, replay } from "./replay/replay.ts";
import { assertFits } from "./scan/bundle-limit.ts";
import { detectorSteps } from "./scan/scanner.ts";
import { planOf } from "./scan/spec-plan.ts";
import { SpecTable } from "./scan/spec-table.ts";
import { addTables, emptyTables, TableCache, type Tables } from "./scan/table-cache.ts";
import { compileOutputSchema, type OutputSchema, type SchemaSource } from "./schema/output-schema.ts";
import { asksBackend } from "./stream/followable.ts";
import { holdBacksOf, streamedStages } from "./stream/hold-back.ts";
import { verdictNotices, type WhyNotFollowed } from "./stream/notice.ts";
import { type EngineStream, openEngineStream, type StreamTools, verdictRulesFor } from "./stream/stream.ts";
import { StreamTableCache } from "./stream/stream-table-cache.ts";
import { type StreamTables, tableSteps, whyNotFollowed } from "./stream/tables.ts";
import { finish } from "./text/steps.ts";

/** The source of an engine. */
export interface EngineSource {
  readonly policies: readonly PolicySource[];
  /** Lists that are stored beside the policies. */
  readonly lists?: readonly NamedList[];
  /** Name of the environment in which the bundle is active. */
  readonly environment: string;
  readonly projectId: string;
  /** The output schemas in use. */
  readonly schemas?: readonly SchemaSource[];
  /** What language packs and an organization's own keywords add to the detectors. */
  readonly overlays?: readonly Overlay[];
  /** Weights of the detectors' models by name. A detector without its model uses only its patterns. */
  readonly models?: Models;
}

/** The detectors that an engine may use, and the functions that compile them. Only tests replace it. */
export interface DetectorKit {
  readonly definitions: readonly DetectorDefinition[];
  readonly detectorSteps: (
    specs: readonly DetectorSpec[],
    options: { readonly models: Models; readonly tableCache: TableCache },
  ) => Generator<void, Scanner>;
  /**
   * Follows detectors in streams. Without it, a stream waits for the verdict wherever a detector could hold text back.
   */
  readonly streams?: {
    /** Why a stream cannot follow a detector, as the end of a sentence about it; undefined when it can. */
    readonly whyNotFollowed: (spec: DetectorSpec, models: Models) => string | undefined;
    readonly tableSteps: (
      specs: readonly DetectorSpec[],
      models: Models,
      tableCache: TableCache,
    ) => Generator<void, StreamTables>;
  };
}

/** A rule of an engine, as findings name it. */
export interface EngineRule {
  readonly policyId: string;
  readonly policy: string;
  readonly ruleId: string;
  /** What its findings may name as their detector. */
  readonly detectors: readonly string[];
  /** Its pack forbids to weaken it. */
  readonly isLocked: boolean;
  /** It is written as one that enforces nothing, now or later. */
  readonly isOff: boolean;
}

/** A rule that is kept in shadow until a moment, in milliseconds since 1970. */
export interface Demotion {
  readonly policyId: string;
  readonly ruleId: string;
  readonly untilMs: number;
}

/** Evaluates requests by the policies of one bundle in one environment. */
export interface Engine {
  /** Every rule of the policies, those of packs included. */
  readonly rules: readonly EngineRule[];
  /**
   * The same engine with these rules in shadow, and no others: a copy that shares everything else. Rules that it does
   * not have, and those that their pack locks, stay as they are.
   */
  readonly demoting: (demotions: readonly Demotion[]) => Engine;
  /** The policies that can apply in this environment, by name. */
  readonly policies: readonly { readonly policyId: string; readonly name: string; readonly version: number }[];
  /** Ids of the catalog's detectors that are in use, sorted. */
  readonly detectors: readonly string[];
  /** Keys of the detector backends that policies name, sorted. */
  readonly backends: readonly string[];
  /**
   * The questions that backends have to answer before the request can be evaluated; the answers go into the context.
   */
  readonly questionsOf: (request: EvaluateRequest, moment: AskingContext) => readonly BackendQuestion[];
  /** Names of the output schemas, sorted. */
  readonly schemas: readonly string[];
  readonly evaluate: (request: EvaluateRequest, context: EvaluationContext) => Evaluation;
  /** Checks a structured output against its schema only; no rule is evaluated. */
  readonly evaluateSchema: (request: EvaluateRequest, context: EvaluationContext) => Evaluation;
  /** Judges a text while it arrives. The request has no text yet, or one segment without text. */
  readonly openStream: (request: EvaluateRequest, context: EvaluationContext) => EngineStream;
  /** Builds, step by step, the tables and patterns that the first evaluations would otherwise build. */
  readonly prepare: () => Generator<void, void>;
  /** Builds the tables only. */
  readonly prepareTables: () => Generator<void, void>;
  /** Evaluates and explains the outcome. Much slower than an evaluation. */
  readonly explain: (request: EvaluateRequest, context: EvaluationContext) => ExplainedEvaluation;
  /** Judges a recorded evaluation, with or without its text. */
  readonly replay: (record: EvaluationRecord, options: ReplayOptions) => Replayed;
  /** Its large tables, which the next engine may reuse. */
  readonly tables: Tables;
}

const productDetectors: DetectorKit = {
  definitions: catalog,
  detectorSteps,
  streams: { whyNotFollowed, tableSteps },
};

/** Compiles an engine. Throws PolicyInvalid for a policy that this version cannot run. */
export function compileEngine(source: EngineSource, kit: DetectorKit = productDetectors): Engine {
  return finish(engineSteps(source, { kit }));
}

/** The same, step by step. Reuses tables that were built elsewhere. */
export function* engineSteps(
  source: EngineSource,
  { kit = productDetectors, tables }: { readonly kit?: DetectorKit; readonly tables?: Tables } = {},
): Generator<void, Engine> {
  const { environment, models = new Map() } = source;
  const definitions = new Map(kit.definitions.map((definition) => [definition.id, definition]));
  const specs = new SpecTable(mergeOverlays(source.overlays ?? []));
  const tableCache = new TableCache(tables);
  const policies: CompiledPolicy[] = [];
  for (const policy of source.policies
    .filter(({ scope }) => isIn(scope.appId, source.projectId) && isIn(scope.env, environment))
    .sort((a, b) => compare(a.name, b.name) || compare(a.policyId, b.policyId)))
    policies.push(...(yield* stepsIn(environment, policy, { kit, definitions, specs })));
  const scanner = yield* kit.detectorSteps(specs.specs, { models, tableCache });
  const schemas = new Map<string, OutputSchema>();
  for (const each of source.schemas ?? []) {
    schemas.set(each.name, compileOutputSchema(each));
    yield;
  }
  return engineOf(source, { kit, policies, specs, scanner, schemas, tableCache, models });
}

/**
 * Throws BundleTooLarge when policies together exceed the limits of an engine, wherever each of them applies. Throws
 * PolicyInvalid for a policy that this version cannot run.
 */
export function assertCompilable(policies: readonly PolicySource[], overlays: readonly Overlay[] = []): void {
  const specs = new SpecTable(mergeOverlays(overlays));
  const tools = { kit: productDetectors, definitions: new Map(catalog.map((each) => [each.id, each])), specs };
  for (const policy of policies) finish(stepsIn(undefined, policy, tools));
  assertFits(specs.specs.map((spec) => ({ use: spec.use, plan: planOf(spec, new Map()) })));
}

/**
 * The tables of an engine, built as a runtime builds them before it activates a bundle. Reuses `tables`. Throws
 * BundleTooLarge when they take more memory than an engine may have.
 */
export function makeTables(source: EngineSource, tables?: Tables): Tables {
  const engine = finish(engineSteps(source, { tables }));
  finish(engine.prepareTables());
  return engine.tables;
}

/** The parts of an engine. */
interface EngineParts {
  readonly kit: DetectorKit;
  readonly policies: readonly CompiledPolicy[];
  readonly specs: SpecTable;
  readonly scanner: Scanner;
  readonly schemas: ReadonlyMap<string, OutputSchema>;
  readonly tableCache: TableCache;
  readonly models: Models;
}

function engineOf(source: EngineSource, parts: EngineParts, following = followedBy(parts.specs.specs, parts)): Engine {
  const { environment } = source;
  const { kit, policies, specs, scanner, schemas, tableCache, models } = parts;
  const lists = (source.lists ?? []).filter(
    ({ scope }) => isIn(scope.appId, source.projectId) && isIn(scope.env, environment),
  );
  const applicability = new Applicability(policies, lists);
  const sources = source.policies.map(summaryOf).sort((a, b) => compare(a.name, b.name));
  const namesOf = memoized((key: string) => specs.namesOf(key));
  const scannerOf = memoized((spec: DetectorSpec) =>
    finish(kit.detectorSteps([spec], { models, tableCache: new TableCache() })),
  );
  const recorded = specIndexOf(specs, models);
  const definitions = new Map(kit.definitions.map((definition) => [definition.id, definition]));
  function* prepareTables(): Generator<void, void> {
    yield* scanner.prepareTables?.() ?? [];
    yield* prepareStreams(applicability.forAgent(""), following);
  }
  const evaluate: Engine["evaluate"] = (request, context) => {
    const applicable = applicability.forAgent(request.agentId ?? "");
    return runEvaluation(request, context, {
      ...{ scanner, environment, applicable, namesOf, schemas, recorded },
      backed: specs.backed,
    });
  };
  return {
    ...inventoryOf(parts),
    demoting: (demotions) =>
      engineOf(source, { ...parts, policies: policies.map((policy) => demotedIn(policy, demotions)) }, following),
    questionsOf: (request, moment) => {
      const applicable = applicability.forAgent(request.agentId ?? "");
      return questionsOf(request, moment, { applicable, scanner, backed: specs.backed });
    },
    evaluate,
    openStream: (request, context) => {
      const applicable = applicability.forAgent(request.agentId ?? "");
      return openEngineStream(request, context, { environment, applicable, evaluate, ...following });
    },
    evaluateSchema: (request, context) =>
      runEvaluation(request, context, { scanner, environment, applicable: [], namesOf, schemas, recorded }),
    prepare: function* () {
      yield* scanner.preparePatterns?.() ?? [];
      yield* prepareTables();
    },
    prepareTables,
    explain: (request, context) => {
      const applicable = applicability.forAgent(request.agentId ?? "");
      return runExplanation(request, context, {
        ...{ scanner, environment, applicable, namesOf, policies, scannerOf, schemas, recorded, backed: specs.backed },
        sources,
        specs: specs.specs,
        untilVerdict: (about, moment) => {
          const { stage, isTranscript } = moment;
          if (!streamedStages.includes(stage) || isTranscript === true) return [];
          const rules = verdictRulesFor(about, moment, { environment, applicable, evaluate, ...following });
          return verdictNotices(new Map([[stage, rules]]), following.whyNotFollowed);
        },
      });
    },
    replay: (record, options) => {
      const applicable = applicability.forAgent(record.agentId);
      const { backed } = specs;
      return replay(record, options, { scanner, environment, applicable, schemas, recorded, backed, definitions });
    },
    get tables() {
      const all = emptyTables();
      addTables(all, tableCache.taken);
      addTables(all, following.made());
      return all;
    },
  };
}

// The names of everything that the engine uses.
function inventoryOf({
  policies,
  specs,
  schemas,
}: EngineParts): Pick<Engine, "rules" | "policies" | "detectors" | "backends" | "schemas"> {
  const isBackendAlone = specs.backed.some(({ inner }) => inner === undefined);
  const detectors = [...specs.specs.map(({ use }) => use), ...(isBackendAlone ? ["backend"] : [])];
  return {
    rules: policies.flatMap(rulesOf),
    policies: policies
      .filter(({ prefix }) => prefix === "")
      .map(({ policyId, name, version }) => ({ policyId, name, version })),
    detectors: [...new Set(detectors)].sort(),
    backends: [...new Set(specs.backed.map(({ use }) => use.key))].sort(),
    schemas: [...schemas.keys()].sort(),
  };
}

function rulesOf({ policyId, name: policy, rules, offRules }: CompiledPolicy): EngineRule[] {
  return [...rules, ...offRules].map(({ id: ruleId, terms, isLocked, mode, shadowEnd }) => {
    const isOff = mode !== Mode.ENFORCE && shadowEnd?.becomes !== Mode.ENFORCE;
    const detectors = terms.length === 0 ? [conditionName] : [...new Set(terms.map(({ detector }) => detector))];
    return { policyId, policy, ruleId, detectors, isLocked, isOff };
  });
}

function demotedIn(policy: CompiledPolicy, demotions: readonly Demotion[]): CompiledPolicy {
  const rules = policy.rules.map(({ demotedUntilMs: _, ...rule }): CompiledRule => {
    const own = demotions.find(({ policyId, ruleId }) => policyId === policy.policyId && ruleId === rule.id);
    return own === undefined || rule.isLocked ? rule : { ...rule, demotedUntilMs: own.untilMs };
  });
  return { ...policy, rules };
}

// Builds the tables that streams of an unnamed agent need, by stage: before and after policies that are in shadow for a
// limited time take effect.
function* prepareStreams(
  applicable: readonly ApplicablePolicy[],
  { canFollow, tableStepsOf }: Following,
): Generator<void> {
  const moments = [0, Number.POSITIVE_INFINITY];
  for (const [stage, nowMs] of streamedStages.flatMap((each) => moments.map((moment) => [each, moment] as const))) {
    const { keys, untilVerdict } = holdBacksOf(applicable, { stage, nowMs, canFollow });
    if (untilVerdict.length === 0 && keys.size > 0) yield* tableStepsOf(keys);
    yield;
  }
}

/**
 * The detectors that streams can follow, and their tables, which are built when a stream first needs them, or before.
 */
interface Following extends Pick<StreamTools, "canFollow" | "tablesOf"> {
  /** The tables that were built for single streams and are still in the cache. */
  readonly made: () => Tables;
  /** Builds tables that are kept for the life of the engine. */
  readonly tableStepsOf: (keys: ReadonlySet<string>) => Generator<void, StreamTables>;
  readonly whyNotFollowed: WhyNotFollowed;
}

function followedBy(
  specs: readonly DetectorSpec[],
  { kit: { streams }, models, tableCache }: Pick<EngineParts, "kit" | "models" | "tableCache">,
): Following {
  const byKey = new Map(specs.map((spec) => [spec.key, spec]));
  const prepared = new Map<string, StreamTables>();
  const later = new StreamTableCache();
  const nameOf = (keys: ReadonlySet<string>): string => [...keys].sort().join("\u0000");
  function* stepsWith(keys: ReadonlySet<string>, from: TableCache): Generator<void, StreamTables> {
    if (streams === undefined) throw new Error("these detectors cannot be followed");
    const wanted = specs.filter(({ key }) => keys.has(key));
    return yield* streams.tableSteps(wanted, models, from);
  }
  function* tableStepsOf(keys: ReadonlySet<string>): Generator<void, StreamTables> {
    const name = nameOf(keys);
    let tables = prepared.get(name);
    if (tables !== undefined) return tables;
    tables = yield* stepsWith(keys, tableCache);
    prepared.set(name, tables);
    later.delete(name);
    return tables;
  }
  const tablesOf = (keys: ReadonlySet<string>): StreamTables => {
    const name = nameOf(keys);
    const known = prepared.get(name) ?? later.get(name);
    if (known !== undefined) return known;
    const own = tableCache.withOwnLimit();
    const tables = finish(stepsWith(keys, own));
    later.set(name, tables, own);
    return tables;
  };
  const knownWhy = memoized((key: string) => {
    const spec = byKey.get(key);
    if (spec === undefined) return { why: asksBackend };
    return { why: streams === undefined ? "is not known to streams" : streams.whyNotFollowed(spec, models) };
  });
  const whyNotFollowed: WhyNotFollowed = (key) => knownWhy(key).why;
  return {
    whyNotFollowed,
    canFollow: (key) => whyNotFollowed(key) === undefined,
    tablesOf,
    made: () => later.made(),
    tableStepsOf,
  };
}

// The steps that compile one policy for one environment, or for any when it is undefined.
function* stepsIn(
  environment: string | undefined,
  source: PolicySource,
  tools: { kit: DetectorKit; definitions: ReadonlyMap<string, DetectorDefinition>; specs: SpecTable },
): Generator<void, CompiledPolicy[]> {
  // A policy document is JSON; its interface only names the keys.
  const reading =
    source.reading ?? parsePolicyInForce(source.document as JsonValue, tools.kit.definitions, source.packs);
  yield;
  const { policy, packs, problems } = reading;
  if (policy === undefined) throw new PolicyInvalid(source.name, problems);
  const { envs } = policy.match ?? {};
  if (envs !== undefined && environment !== undefined && !envs.includes(environment)) return [];
  return yield* policySteps(source, policy, packs, tools);
}

function isIn(scope: string, value: string): boolean {
  return scope === "*" || scope === value;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function memoized<K, T>(compute: (key: K) => T): (key: K) => T {
  const known = new Map<K, T>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}
