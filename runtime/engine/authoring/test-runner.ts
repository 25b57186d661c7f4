// Runs the tests of a policy document through the same engine that enforces it.

import { create, type JsonObject } from "@bufbuild/protobuf";
import {
  BundleReferenceSchema,
  type EvaluateRequest,
  EvaluateRequestSchema,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Trust } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Models } from "../detectors/detector-plan.ts";
import { compileEngine, type DetectorKit, type Engine } from "../engine.ts";
import type { EvaluationContext } from "../evaluate/context.ts";
import type { Evaluation } from "../evaluate/evaluation.ts";
import type {
  PolicyDocument,
  PolicyTest,
  StageName,
  TestExpectation,
  TestRequest,
  TestTurn,
} from "../policy/document.ts";
import { stages } from "../policy/enum-names.ts";
import type { PackSource } from "../policy/extend.ts";
import type { NamedList } from "../policy-plan/applicability.ts";
import { advance, emptyLedger, type SessionLedger, type SessionView, type VaultEntry } from "../segment/session.ts";
import { streamText } from "../stream/stream-text.ts";
import { failuresOf } from "./test-expectation.ts";

/** The result of one test. */
export interface PolicyTestResult {
  readonly policy: string;
  readonly name: string;
  readonly passed: boolean;
  /** The differences; empty when the test passed. */
  readonly failures: readonly string[];
}

/** Options for running tests. */
export interface TestRunOptions {
  /** The time that decides which exemptions have expired and which shadows have ended, unless a test states its own. */
  readonly now: Date;
  readonly kit?: DetectorKit;
  /** Finds the packs that the policy extends. */
  readonly packs?: PackSource;
  /** Weights of the detectors' models. */
  readonly models?: Models;
}

const anywhere = { tenantId: "*", appId: "*", agentId: "*", env: "*" };

/** Runs every test of the document, or the given ones, each in the environment and for the agent that it names. */
export function runPolicyTests(
  document: PolicyDocument,
  options: TestRunOptions,
  tests: readonly PolicyTest[] = document.tests ?? [],
): PolicyTestResult[] {
  const bench = new TestBench(document, options);
  return tests.map((test) => bench.run(test));
}

/** One request of a test with its answer. */
export interface JudgedRequest {
  /** Its label among the requests: the language, or the number of the turn. Empty for a test of one request. */
  readonly label: string;
  readonly evaluation: Evaluation;
  readonly expect: TestExpectation | undefined;
  /** All text that was released, for a stream. */
  readonly released: string | undefined;
}

/** Runs tests against a single policy, compiled for each environment that its tests name. */
export class TestBench {
  readonly #document: PolicyDocument;
  readonly #options: TestRunOptions;
  readonly #engines = new Map<string, Engine>();

  constructor(document: PolicyDocument, options: TestRunOptions) {
    this.#document = document;
    this.#options = options;
  }

  /** Evaluates the request of a test; of several requests, returns the last evaluation. */
  evaluate(test: PolicyTest): Evaluation {
    const last = this.judge(test).at(-1);
    if (last === undefined) throw new Error(`the test "${test.name}" has no request`);
    return last.evaluation;
  }

  /** Evaluates every request of a test: a single one, each turn of a session, or one for each language. */
  judge(test: PolicyTest): JudgedRequest[] {
    if (test.turns !== undefined) return this.#turns(test, test.turns);
    if (test.languages !== undefined) {
      return Object.entries(test.languages).map(([language, text]) => {
        const evaluation = this.#evaluate({ ...test, language }, { text }, freshSession());
        return { label: language, evaluation, expect: test.expect, released: undefined };
      });
    }
    if (test.stream !== undefined) return [this.#stream(test, test.stream)];
    return [
      { label: "", evaluation: this.#evaluate(test, test, freshSession()), expect: test.expect, released: undefined },
    ];
  }

  /** Runs a test. */
  run(test: PolicyTest): PolicyTestResult {
    const failures = this.judge(test).flatMap(({ label, evaluation, expect, released }) => {
      const found = expect === undefined ? [] : failuresOf(expect, evaluation, released);
      return label === "" ? found : found.map((failure) => `${label}: ${failure}`);
    });
    return { policy: this.#document.metadata.name, name: test.name, passed: failures.length === 0, failures };
  }

  #turns(test: PolicyTest, turns: readonly (string | TestTurn)[]): JudgedRequest[] {
    let ledger: SessionLedger = emptyLedger;
    const vault: VaultEntry[] = [];
    return turns.map((each, index) => {
      const turn: TestTurn = typeof each === "string" ? { text: each } : each;
      const stage = turn.stage ?? test.stage;
      const about = stage === undefined ? test : { ...test, stage };
      const evaluation = this.#evaluate(about, turn, { known: true, ledger, vault: [...vault] });
      ledger = advance(ledger, evaluation.sessionUpdate());
      vault.push(...evaluation.vault);
      const isLast = index === turns.length - 1;
      return {
        label: `turn ${index + 1}`,
        evaluation,
        expect: isLast ? { ...turn.expect, ...test.expect } : turn.expect,
        released: undefined,
      };
    });
  }

  #stream(test: PolicyTest, chunks: readonly string[]): JudgedRequest {
    const request = requestOf(test, {}, this.#document);
    const context = this.#contextOf(test, test.stage ?? "output", freshSession());
    const { evaluation, released } = streamText(this.#engineFor(test), request, context, chunks);
    return { label: "", evaluation, expect: test.expect, released };
  }

  #evaluate(test: PolicyTest, request: TestRequest, session: SessionView): Evaluation {
    const stage = stageOf(test, request);
    return this.#engineFor(test).evaluate(
      requestOf(test, request, this.#document),
      this.#contextOf(test, stage, session),
    );
  }

  #contextOf(test: PolicyTest, stage: StageName, session: SessionView): EvaluationContext {
    return {
      stage: stages[stage],
      now: test.at === undefined ? this.#options.now : new Date(test.at),
      evaluationId: test.name,
      fingerprintKey: new Uint8Array(32),
      bundle: create(BundleReferenceSchema),
      // A test is about the decision of a policy, not about its speed.
      elapsedUs: () => 0,
      session,
      ...(test.transcript === true ? { isTranscript: true } : {}),
    };
  }

  #engineFor(test: PolicyTest): Engine {
    const environment = test.env ?? this.#document.match?.envs?.[0] ?? "test";
    const key = JSON.stringify([environment, test.lists ?? {}]);
    let engine = this.#engines.get(key);
    if (engine === undefined) {
      engine = engineFor(this.#document, environment, listsOf(test), this.#options);
      this.#engines.set(key, engine);
    }
    return engine;
  }
}

function freshSession(): SessionView {
  return { known: true, ledger: emptyLedger };
}

function listsOf({ lists = {} }: PolicyTest): NamedList[] {
  return Object.entries(lists).map(([name, items]) => ({ name, items, scope: anywhere }));
}

function engineFor(
  document: PolicyDocument,
  environment: string,
  lists: readonly NamedList[],
  { kit, packs, models }: TestRunOptions,
): Engine {
  const name = document.metadata.name;
  const own = { policyId: name, name, version: 1, scope: anywhere, document };
  const policies = [packs === undefined ? own : { ...own, packs }];
  return compileEngine({ policies, lists, environment, projectId: "", models }, kit);
}

function stageOf(test: PolicyTest, request: TestRequest): StageName {
  return test.stage ?? (request.tool_calls === undefined ? "input" : "tool_call");
}

function requestOf(test: PolicyTest, request: TestRequest, document: PolicyDocument): EvaluateRequest {
  const { user_id: userId, roles = [], attributes } = test.subject ?? {};
  const calls = request.tool_calls ?? [];
  return create(EvaluateRequestSchema, {
    agentId: test.agent ?? exampleAgent(document),
    language: test.language,
    text: request.text,
    messages: [...(request.messages ?? [])],
    segments: (request.segments ?? []).map(({ trust, ...segment }) => ({ ...segment, trust: trustOf(trust) })),
    toolCalls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: copyOf(args) })),
    subject: test.subject === undefined ? undefined : { userId, roles: [...roles], attributes: copyOf(attributes) },
  });
}

/** An agent that the policy applies to, for tests that name none. */
export function exampleAgent(document: PolicyDocument): string | undefined {
  return document.match?.agents?.[0]?.replaceAll("*", "").replaceAll("?", "x");
}

function trustOf(trust: "trusted" | "untrusted" | undefined): Trust {
  if (trust === undefined) return Trust.UNSPECIFIED;
  return trust === "trusted" ? Trust.TRUSTED : Trust.UNTRUSTED;
}

function copyOf(json: JsonObject | undefined): JsonObject | undefined {
  return json === undefined ? undefined : structuredClone(json);
}
