// From the policies of a bundle to an engine. Policies are checked again here: a bundle may come from another version.

import type { JsonValue } from "@bufbuild/protobuf";
import type { EvaluateRequest } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Applicability, type ApplicablePolicy, type NamedList } from "./applicability.ts";
import type { BackendQuestion } from "./backend.ts";
import { questionsOf } from "./backend-question.ts";
import { assertFits } from "./bundle-limit.ts";
import { type CompiledPolicy, type PolicySource, policySteps } from "./compiled-policy.ts";
import type { DetectorDefinition, DetectorSpec, Scanner } from "./detector.ts";
import { catalog } from "./detectors/catalog.ts";
import { type Evaluation, type EvaluationContext, runEvaluation } from "./evaluation.ts";
import { type ExplainedEvaluation, runExplanation, summaryOf } from "./explain.ts";
import { compileOutputSchema, type OutputSchema, type SchemaSource } from "./output-schema.ts";
import type { Models } from "./plan.ts";
import { parsePolicy } from "./policy/parse.ts";
import { PolicyInvalid } from "./policy/problem.ts";
import { detectorSteps } from "./scanner.ts";
import { planOf } from "./spec-plan.ts";
import { SpecTable } from "./spec-table.ts";
import { finish } from "./steps.ts";
import { asksBackend } from "./stream/bounds.ts";
import { verdictNotices, type WhyNotFollowed } from "./stream/notice.ts";
import { obligationsOf, streamedStages } from "./stream/obligation.ts";
import { type EngineStream, openEngineStream, type StreamTools, verdictRulesFor } from "./stream/stream.ts";
import { type StreamTables, tableSteps, whyNotFollowed } from "./stream/tables.ts";
import { TableShelf, type Tables } from "./table-shelf.ts";

/** What an engine is made of. */
export interface EngineSource {
  readonly policies: readonly PolicySource[];
  /** Lists that are kept beside the policies. */
  readonly lists?: readonly NamedList[];
  /** Name of the environment in which the bundle is active. */
  readonly environment: string;
  readonly projectId: string;
  /** The output schemas in use. */
  readonly schemas?: readonly SchemaSource[];
  /** Weights of the detectors' models by name; a detector without its model goes by its patterns alone. */
  readonly models?: Models;
}

/** The detectors that an engine may use, and what compiles them. Exchanged by tests only. */
export interface DetectorKit {
  readonly definitions: readonly DetectorDefinition[];
  readonly detectorSteps: (
    specs: readonly DetectorSpec[],
    options: { readonly models: Models; readonly shelf: TableShelf },
  ) => Generator<void, Scanner>;
  /** Follows detectors in streams; without it streams wait for the verdict wherever a detector could hold text back. */
  readonly streams?: {
    /** Why a stream cannot follow a detector, as the end of a sentence about it; undefined when it can. */
    readonly whyNotFollowed: (spec: DetectorSpec, models: Models) => string | undefined;
    readonly tableSteps: (
      specs: readonly DetectorSpec[],
      models: Models,
      shelf: TableShelf,
    ) => Generator<void, StreamTables>;
  };
}

/** Evaluates requests by the policies of one bundle in one environment. */
export interface Engine {
  /** The policies that can apply in this environment, by name. */
  readonly policies: readonly { readonly policyId: string; readonly name: string; readonly version: number }[];
  /** Ids of the catalog's detectors that are in use, sorted. */
  readonly detectors: readonly string[];
  /** Keys of the detector backends that policies name, sorted. */
  readonly backends: readonly string[];
  /** What backends have to say before the request can be evaluated; their answers go into the context. */
  readonly questionsOf: (
    request: EvaluateRequest,
    moment: Pick<EvaluationContext, "stage" | "isTranscript" | "now">,
  ) => readonly BackendQuestion[];
  /** Names of the output schemas, sorted. */
  readonly schemas: readonly string[];
  readonly evaluate: (request: EvaluateRequest, context: EvaluationContext) => Evaluation;
  /** Holds a structured output against its schema alone; no rule is asked. */
  readonly evaluateSchema: (request: EvaluateRequest, context: EvaluationContext) => Evaluation;
  /** Judges a text while it comes. The request has no text yet, or one segment without text. */
  readonly openStream: (request: EvaluateRequest, context: EvaluationContext) => EngineStream;
  /** Does, step by step, what the first evaluations would have to do beside their work. */
  readonly prepare: () => Generator<void, void>;
  /** The tables alone. */
  readonly prepareTables: () => Generator<void, void>;
  /** Evaluates and says why; slower than an evaluation by far. */
  readonly explain: (request: EvaluateRequest, context: EvaluationContext) => ExplainedEvaluation;
  /** Its heavy tables, which the next engine may take over. */
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

/** The same, step by step. Tables that were made elsewhere are taken over. */
export function* engineSteps(
  source: EngineSource,
  { kit = productDetectors, tables }: { readonly kit?: DetectorKit; readonly tables?: Tables } = {},
): Generator<void, Engine> {
  const { environment, models = new Map() } = source;
  const definitions = new Map(kit.definitions.map((definition) => [definition.id, definition]));
  const specs = new SpecTable();
  const shelf = new TableShelf(tables);
  const policies: CompiledPolicy[] = [];
  for (const policy of source.policies
    .filter(({ scope }) => isIn(scope.appId, source.projectId) && isIn(scope.env, environment))
    .sort((a, b) => compare(a.name, b.name) || compare(a.policyId, b.policyId)))
    policies.push(...(yield* stepsIn(environment, policy, { kit, definitions, specs })));
  const scanner = yield* kit.detectorSteps(specs.specs, { models, shelf });
  const schemas = new Map<string, OutputSchema>();
  for (const each of source.schemas ?? []) {
    schemas.set(each.name, compileOutputSchema(each));
    yield;
  }
  return engineOf(source, { kit, policies, specs, scanner, schemas, shelf, models });
}

/**
 * Throws BundleTooLarge when policies are together more than an engine takes, wherever each of them applies, and PolicyInvalid for one that
 * this version cannot run.
 */
export function assertCompilable(policies: readonly PolicySource[]): void {
  const specs = new SpecTable();
  const tools = { kit: productDetectors, definitions: new Map(catalog.map((each) => [each.id, each])), specs };
  for (const policy of policies) finish(stepsIn(undefined, policy, tools));
  assertFits(specs.specs.map((spec) => ({ use: spec.use, plan: planOf(spec, new Map()) })));
}

/** What an engine is put together from. */
interface EngineParts {
  readonly kit: DetectorKit;
  readonly policies: readonly CompiledPolicy[];
  readonly specs: SpecTable;
  readonly scanner: Scanner;
  readonly schemas: ReadonlyMap<string, OutputSchema>;
  readonly shelf: TableShelf;
  readonly models: Models;
}

function engineOf(source: EngineSource, parts: EngineParts): Engine {
  const { environment } = source;
  const { kit, policies, specs, scanner, schemas, shelf, models } = parts;
  const lists = (source.lists ?? []).filter(
    ({ scope }) => isIn(scope.appId, source.projectId) && isIn(scope.env, environment),
  );
  const applicability = new Applicability(policies, lists);
  const sources = source.policies.map(summaryOf).sort((a, b) => compare(a.name, b.name));
  const namesOf = memoized((key: string) => specs.namesOf(key));
  const scannerOf = memoized((spec: DetectorSpec) =>
    finish(kit.detectorSteps([spec], { models, shelf: new TableShelf() })),
  );
  const following = followedBy(specs.specs, parts);
  function* prepareTables(): Generator<void, void> {
    yield* scanner.prepareTables?.() ?? [];
    yield* prepareStreams(applicability.forAgent(""), following);
  }
  const evaluate: Engine["evaluate"] = (request, context) => {
    const applicable = applicability.forAgent(request.agentId ?? "");
    return runEvaluation(request, context, {
      scanner,
      environment,
      applicable,
      namesOf,
      schemas,
      backed: specs.backed,
    });
  };
  return {
    policies: policies
      .filter(({ prefix }) => prefix === "")
      .map(({ policyId, name, version }) => ({ policyId, name, version })),
    detectors: [
      ...new Set([
        ...specs.specs.map(({ use }) => use),
        ...(specs.backed.some(({ inner }) => inner === undefined) ? ["backend"] : []),
      ]),
    ].sort(),
    backends: [...new Set(specs.backed.map(({ use }) => use.key))].sort(),
    questionsOf: (request, moment) => questionsOf(request, moment, applicability.forAgent(request.agentId ?? "")),
    schemas: [...schemas.keys()].sort(),
    evaluate,
    openStream: (request, context) => {
      const applicable = applicability.forAgent(request.agentId ?? "");
      return openEngineStream(request, context, { environment, applicable, evaluate, ...following });
    },
    evaluateSchema: (request, context) =>
      runEvaluation(request, context, { scanner, environment, applicable: [], namesOf, schemas }),
    prepare: function* () {
      yield* scanner.preparePatterns?.() ?? [];
      yield* prepareTables();
    },
    prepareTables,
    explain: (request, context) => {
      const applicable = applicability.forAgent(request.agentId ?? "");
      return runExplanation(request, context, {
        ...{ scanner, environment, applicable, namesOf, policies, scannerOf, schemas, backed: specs.backed },
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
    tables: shelf.taken,
  };
}

// The tables that streams of an unnamed agent need, by stage, before and after what is in shadow for a time.
function* prepareStreams(
  applicable: readonly ApplicablePolicy[],
  { canFollow, tableStepsOf }: Following,
): Generator<void> {
  const moments = [0, Number.POSITIVE_INFINITY];
  for (const [stage, nowMs] of streamedStages.flatMap((each) => moments.map((moment) => [each, moment] as const))) {
    const { keys, untilVerdict } = obligationsOf(applicable, { stage, nowMs, canFollow });
    if (untilVerdict.length === 0 && keys.size > 0) yield* tableStepsOf(keys);
    yield;
  }
}

/** Which detectors streams can follow, and the tables for some of them, made when a stream first asks for them, or before. */
interface Following extends Pick<StreamTools, "canFollow" | "tablesOf"> {
  readonly tableStepsOf: (keys: ReadonlySet<string>) => Generator<void, StreamTables>;
  readonly whyNotFollowed: WhyNotFollowed;
}

function followedBy(
  specs: readonly DetectorSpec[],
  { kit: { streams }, models, shelf }: Pick<EngineParts, "kit" | "models" | "shelf">,
): Following {
  const byKey = new Map(specs.map((spec) => [spec.key, spec]));
  const known = new Map<string, StreamTables>();
  function* tableStepsOf(keys: ReadonlySet<string>): Generator<void, StreamTables> {
    const name = [...keys].sort().join("\u0000");
    let tables = known.get(name);
    if (tables !== undefined) return tables;
    if (streams === undefined) throw new Error("these detectors cannot be followed");
    const wanted = specs.filter(({ key }) => keys.has(key));
    tables = yield* streams.tableSteps(wanted, models, shelf);
    known.set(name, tables);
    return tables;
  }
  const knownWhy = memoized((key: string) => {
    const spec = byKey.get(key);
    if (spec === undefined) return { why: asksBackend };
    return { why: streams === undefined ? "is not known to streams" : streams.whyNotFollowed(spec, models) };
  });
  const whyNotFollowed: WhyNotFollowed = (key) => knownWhy(key).why;
  return {
    whyNotFollowed,
    canFollow: (key) => whyNotFollowed(key) === undefined,
    tablesOf: (keys) => finish(tableStepsOf(keys)),
    tableStepsOf,
  };
}

// In one environment, or undefined: in any.
function* stepsIn(
  environment: string | undefined,
  source: PolicySource,
  tools: { kit: DetectorKit; definitions: ReadonlyMap<string, DetectorDefinition>; specs: SpecTable },
): Generator<void, CompiledPolicy[]> {
  // A policy document is JSON; its interface only names the keys.
  const reading = source.reading ?? parsePolicy(source.document as JsonValue, tools.kit.definitions, source.packs);
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
