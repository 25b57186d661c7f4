// Runs the tests of a policy document through the same engine that enforces it.

import { create, type JsonObject } from "@bufbuild/protobuf";
import {
  BundleReferenceSchema,
  type EvaluateRequest,
  EvaluateRequestSchema,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Trust } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine, type DetectorKit, type Engine } from "./compile.ts";
import type { Evaluation } from "./evaluation.ts";
import type { PolicyDocument, PolicyTest } from "./policy/document.ts";
import { nameOf, outcomes, stages } from "./wire.ts";

/** The result of one test. */
export interface PolicyTestResult {
  readonly policy: string;
  readonly name: string;
  readonly passed: boolean;
  /** What differed; empty when it passed. */
  readonly failures: readonly string[];
}

/** How tests are run. */
export interface TestRunOptions {
  /** Decides which exemptions have expired. */
  readonly now: Date;
  readonly kit?: DetectorKit;
}

const anywhere = { tenantId: "*", appId: "*", agentId: "*", env: "*" };

/** Runs every test of the document, or these, each in the environment and for the agent that it names. */
export function runPolicyTests(
  document: PolicyDocument,
  options: TestRunOptions,
  tests: readonly PolicyTest[] = document.tests ?? [],
): PolicyTestResult[] {
  const bench = new TestBench(document, options);
  return tests.map((test) => bench.run(test));
}

/** A policy alone, compiled for each environment that its tests name. */
export class TestBench {
  readonly #document: PolicyDocument;
  readonly #options: TestRunOptions;
  readonly #engines = new Map<string, Engine>();

  constructor(document: PolicyDocument, options: TestRunOptions) {
    this.#document = document;
    this.#options = options;
  }

  /** Evaluates the request of a test. */
  evaluate(test: PolicyTest): Evaluation {
    const environment = test.env ?? this.#document.match?.envs?.[0] ?? "test";
    const engine = this.#engines.get(environment) ?? engineFor(this.#document, environment, this.#options);
    this.#engines.set(environment, engine);
    return engine.evaluate(requestOf(test, this.#document), {
      stage: stages[stageOf(test)],
      now: this.#options.now,
      evaluationId: test.name,
      fingerprintKey: new Uint8Array(32),
      bundle: create(BundleReferenceSchema),
      // A test says what a policy decides, not how fast.
      elapsedUs: () => 0,
    });
  }

  /** Runs a test. */
  run(test: PolicyTest): PolicyTestResult {
    const failures = failuresOf(test, this.evaluate(test));
    return { policy: this.#document.metadata.name, name: test.name, passed: failures.length === 0, failures };
  }
}

function engineFor(document: PolicyDocument, environment: string, { kit }: TestRunOptions): Engine {
  const name = document.metadata.name;
  const policies = [{ policyId: name, name, version: 1, scope: anywhere, document }];
  return compileEngine({ policies, environment, projectId: "" }, kit);
}

function failuresOf({ expect }: PolicyTest, { response, findings }: Evaluation): string[] {
  const failures: string[] = [];
  const compare = (what: string, wanted: string | undefined, found: string) => {
    if (wanted !== undefined && wanted !== found) failures.push(`${what}: expected ${wanted}, found ${found}`);
  };
  const matched = [...new Set(findings.map(({ ruleId }) => ruleId))];
  const because = matched.length === 0 ? "" : ` (rules that matched: ${matched.join(", ")})`;
  compare("outcome", expect.outcome, nameOf(outcomes, response.outcome));
  if (failures.length > 0) failures[0] += because;
  compare("would_be_outcome", expect.would_be_outcome, nameOf(outcomes, response.wouldBeOutcome));
  for (const rule of expect.rules ?? []) if (!matched.includes(rule)) failures.push(`rules: ${rule} did not match`);
  for (const rule of expect.not_rules ?? []) if (matched.includes(rule)) failures.push(`not_rules: ${rule} matched`);
  const rewritten = response.text ?? response.redactedSegments.map(({ text }) => text).join("\n");
  compare("redacted", quoted(expect.redacted), quoted(rewritten) ?? "");
  return failures;
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify(text);
}

function stageOf(test: PolicyTest): keyof typeof stages {
  return test.stage ?? (test.tool_calls === undefined ? "input" : "tool_call");
}

function requestOf(test: PolicyTest, document: PolicyDocument): EvaluateRequest {
  const { user_id: userId, roles = [], attributes } = test.subject ?? {};
  return create(EvaluateRequestSchema, {
    agentId: test.agent ?? exampleAgent(document),
    text: test.text,
    messages: [...(test.messages ?? [])],
    segments: (test.segments ?? []).map(({ trust, ...segment }) => ({ ...segment, trust: trustOf(trust) })),
    toolCalls: (test.tool_calls ?? []).map(({ id, name, arguments: args }) => ({ id, name, arguments: copyOf(args) })),
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
