// Compares an answer with the expectation of a test.

import type { Evaluation } from "../evaluate/evaluation.ts";
import type { TestExpectation } from "../policy/document.ts";
import { nameOf, outcomes } from "../policy/enum-names.ts";

/** The differences; empty when there are none. `released` is all text that a stream released. */
export function failuresOf(expect: TestExpectation, evaluation: Evaluation, released: string | undefined): string[] {
  const { response, findings } = evaluation;
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
  compare("message", quoted(expect.message), quoted(response.message ?? "") ?? "");
  return [
    ...failures,
    ...unjudgedFailures(expect, evaluation),
    ...callFailures(expect, evaluation),
    ...leaks(expect, evaluation, released),
  ];
}

function unjudgedFailures({ unjudged: wanted = [] }: TestExpectation, { unjudged }: Evaluation): string[] {
  const names = unjudged.map(({ detector }) => detector);
  const missing = wanted.filter((name) => !names.includes(name));
  return missing.map((name) => `unjudged: ${name} was judged`);
}

function callFailures({ tool_calls: wanted = {} }: TestExpectation, { response }: Evaluation): string[] {
  return Object.entries(wanted).flatMap(([id, outcome]) => {
    const call = response.toolCalls.find((each) => each.id === id);
    const found = call === undefined ? "no such call" : nameOf(outcomes, call.outcome);
    return found === outcome ? [] : [`tool_calls: ${id}: expected ${outcome}, found ${found}`];
  });
}

function leaks(expect: TestExpectation, evaluation: Evaluation, streamed: string | undefined): string[] {
  const { released: wanted, released_must_not_contain: secret } = expect;
  const released = streamed ?? passedOn(evaluation);
  const failures: string[] = [];
  if (wanted !== undefined && wanted !== released) {
    failures.push(`released: expected ${quoted(wanted)}, found ${quoted(released)}`);
  }
  if (secret === "" && released !== "") failures.push(`released: expected nothing, found ${quoted(released)}`);
  if (secret !== undefined && secret !== "" && released.includes(secret)) {
    failures.push(`released_must_not_contain: ${quoted(secret)} was let through`);
  }
  return failures;
}

/** The text that an application may pass on after an answer that is not a stream. */
function passedOn({ response, segments }: Evaluation): string {
  if (response.blocked) return "";
  const rewritten = new Map(response.redactedSegments.map(({ id, text }) => [id, text]));
  return segments.map(({ id, text }) => rewritten.get(id) ?? text).join("\n");
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify(text);
}
