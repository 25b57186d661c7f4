// How much of what a policy blocks it still blocks in disguise.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type MutationName, mutate, mutationNames } from "./mutate.ts";
import type { PolicyDocument, PolicyTest, TestRequest, TestTurn } from "./policy/document.ts";
import { TestBench, type TestRunOptions } from "./test-runner.ts";

/** What became of the blocked tests in one disguise. */
export interface MutationGrade {
  readonly mutation: MutationName;
  /** How many are still blocked. */
  readonly caught: number;
  /** Names of those that are not. */
  readonly missed: readonly string[];
}

/** How robust a policy is, by its own tests. */
export interface RobustnessGrade {
  /** Tests that expect BLOCK and get it undisguised. */
  readonly tests: number;
  /** Share of them, over all disguises, that is still blocked; 1 when there are none. */
  readonly share: number;
  readonly mutations: readonly MutationGrade[];
}

/** Disguises every test that expects BLOCK, and counts what is still blocked. The same seed gives the same grade. */
export function gradeRobustness(
  document: PolicyDocument,
  options: TestRunOptions & { readonly seed?: number },
  tests: readonly PolicyTest[] = document.tests ?? [],
): RobustnessGrade {
  const bench = new TestBench(document, options);
  const { seed = 1 } = options;
  // A test in several languages is blocked when each of them is; one of several turns, when its last one is.
  const isBlocked = (test: PolicyTest) =>
    test.languages === undefined
      ? bench.evaluate(test).response.blocked
      : bench.judge(test).every(({ evaluation }) => evaluation.response.blocked);
  const attacks = tests.filter((test) => test.expect.outcome === "BLOCK" && isBlocked(test));
  const mutations = mutationNames.map((mutation): MutationGrade => {
    const missed = attacks.filter((test, index) => !isBlocked(disguised(test, mutation, seed + index)));
    return { mutation, caught: attacks.length - missed.length, missed: missed.map(({ name }) => name) };
  });
  const caught = mutations.reduce((sum, grade) => sum + grade.caught, 0);
  const tried = attacks.length * mutations.length;
  return { tests: attacks.length, share: tried === 0 ? 1 : caught / tried, mutations };
}

/** The test with all text of its request disguised; of several turns, the text of the last. */
function disguised(test: PolicyTest, mutation: MutationName, seed: number): PolicyTest {
  const disguise = (text: string) => mutate(text, mutation, seed);
  const { stream, turns, languages } = test;
  return {
    ...test,
    ...disguisedRequest(test, disguise),
    ...(stream === undefined ? {} : { stream: [disguise(stream.join(""))] }),
    ...(turns === undefined
      ? {}
      : { turns: turns.map((turn, index) => (index < turns.length - 1 ? turn : disguisedTurn(turn, disguise))) }),
    ...(languages === undefined
      ? {}
      : { languages: Object.fromEntries(Object.entries(languages).map(([tag, text]) => [tag, disguise(text)])) }),
  };
}

function disguisedTurn(turn: string | TestTurn, disguise: (text: string) => string): string | TestTurn {
  return typeof turn === "string" ? disguise(turn) : { ...turn, ...disguisedRequest(turn, disguise) };
}

function disguisedRequest(request: TestRequest, disguise: (text: string) => string): TestRequest {
  const { text, messages, segments, tool_calls: calls } = request;
  return {
    ...(text === undefined ? {} : { text: disguise(text) }),
    ...(messages === undefined
      ? {}
      : { messages: messages.map(({ role, content }) => ({ role, content: disguise(content) })) }),
    ...(segments === undefined
      ? {}
      : { segments: segments.map((segment) => ({ ...segment, text: disguise(segment.text) })) }),
    ...(calls === undefined
      ? {}
      : {
          tool_calls: calls.map((call) =>
            call.arguments === undefined ? call : { ...call, arguments: inside(call.arguments, disguise) },
          ),
        }),
  };
}

function inside(json: JsonObject, disguise: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, insideValue(value, disguise)]));
}

function insideValue(value: JsonValue, disguise: (text: string) => string): JsonValue {
  if (typeof value === "string") return disguise(value);
  if (Array.isArray(value)) return value.map((item) => insideValue(item, disguise));
  return typeof value === "object" && value !== null ? inside(value, disguise) : value;
}
