// Measures how many blocked tests a policy still blocks when they are obfuscated.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { PolicyDocument, PolicyTest, TestRequest, TestTurn } from "../policy/document.ts";
import { mutate, type MutationName as TextMutation, mutationNames as textMutations } from "./mutate.ts";
import { TestBench, type TestRunOptions } from "./test-runner.ts";

/** All mutations: obfuscations of texts, and splitting the text into chunks of a stream or turns of a conversation. */
export const mutationNames = [...textMutations, "chunk_split", "turn_split"] as const;

/** A mutation of a test. */
export type MutationName = (typeof mutationNames)[number];

/** The results of one mutation. */
export interface MutationGrade {
  readonly mutation: MutationName;
  /** How many tests it could be applied to: only a single text can be split. */
  readonly tried: number;
  /** How many are still blocked. */
  readonly caught: number;
  /** Names of the tests that are no longer blocked. */
  readonly missed: readonly string[];
}

/** The robustness of a policy, by its own tests. */
export interface RobustnessGrade {
  /** Tests that expect BLOCK and get it without mutation. */
  readonly tests: number;
  /** Share of the mutated tests that are still blocked, over all mutations; 1 when there are none. */
  readonly share: number;
  readonly mutations: readonly MutationGrade[];
}

/**
 * Applies every mutation to each test that expects BLOCK, and counts how many are still blocked. The same seed gives
 * the same grade.
 */
export function gradeRobustness(
  document: PolicyDocument,
  options: TestRunOptions & { readonly seed?: number },
  tests: readonly PolicyTest[] = document.tests ?? [],
): RobustnessGrade {
  const bench = new TestBench(document, options);
  const { seed = 1 } = options;
  // A test in several languages is blocked when each text is; a test of several turns when its last turn is.
  const isBlocked = (test: PolicyTest) =>
    test.languages === undefined
      ? bench.evaluate(test).response.blocked
      : bench.judge(test).every(({ evaluation }) => evaluation.response.blocked);
  const attacks = tests.filter((test) => test.expect.outcome === "BLOCK" && isBlocked(test));
  const mutations = mutationNames.map((mutation): MutationGrade => {
    const tried = attacks.flatMap((test, index) => {
      const changed = disguised(test, mutation, seed + index);
      return changed === undefined ? [] : [{ name: test.name, changed }];
    });
    const missed = tried.filter(({ changed }) => !isBlocked(changed)).map(({ name }) => name);
    return { mutation, tried: tried.length, caught: tried.length - missed.length, missed };
  });
  const caught = mutations.reduce((sum, grade) => sum + grade.caught, 0);
  const tried = mutations.reduce((sum, grade) => sum + grade.tried, 0);
  return { tests: attacks.length, share: tried === 0 ? 1 : caught / tried, mutations };
}

/** The test with all text of its request obfuscated; of several turns, only the last. */
function disguised(test: PolicyTest, mutation: MutationName, seed: number): PolicyTest | undefined {
  if (mutation === "chunk_split" || mutation === "turn_split") return cut(test, mutation);
  return disguisedText(test, mutation, seed);
}

const chunkLength = 3;

/**
 * The test with its text split into chunks, or into two user turns; undefined when it is not a single text, or its
 * stage has neither.
 */
function cut(test: PolicyTest, mutation: "chunk_split" | "turn_split"): PolicyTest | undefined {
  const { text, stage = "input", tool_calls: calls, ...rest } = test;
  if (text === undefined || calls !== undefined || text === "") return undefined;
  if (mutation === "chunk_split") {
    const count = Math.ceil(text.length / chunkLength);
    const chunks = Array.from({ length: count }, (_, index) =>
      text.slice(index * chunkLength, (index + 1) * chunkLength),
    );
    return { ...rest, stage, stream: chunks };
  }
  const at = text.indexOf(" ", Math.floor(text.length / 2));
  if (stage !== "input" || at < 0) return undefined;
  const contents = [text.slice(0, at), text.slice(at + 1)];
  return { ...rest, stage, transcript: true, messages: contents.map((content) => ({ role: "user", content })) };
}

function disguisedText(test: PolicyTest, mutation: TextMutation, seed: number): PolicyTest {
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
