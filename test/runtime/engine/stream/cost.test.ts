// What a chunk costs depends on the chunk, not on what came before it. Work is counted, not timed: units that are read
// or copied.

import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { context, streamEngine } from "./sample-stream.ts";

const chunkLength = 64;
const textLength = 65_536;
const engine = streamEngine(
  [
    "detectors:",
    "  words: {use: keywords, keywords: [project bluebird, new york city]}",
    '  patterns: {use: regex, patterns: ["\\\\bticket[- ]?\\\\d+", "[a-z]{2,5}@corp", "\\\\d{3}-\\\\d{2}-\\\\d{4}"]}',
    "  addresses: {use: pii, entities: [EMAIL, CREDIT_CARD, IBAN]}",
    "  attacks: {use: injection, disguises: false}",
    "rules:",
    ...["words", "patterns", "addresses", "attacks", "secrets"].map(
      (name) => `  - {id: ${name}, stages: [output], detect: ${name}, action: REDACT}`,
    ),
  ].join("\n"),
);

const work = { units: 0 };

const { charCodeAt, slice } = String.prototype;
const { test, exec } = RegExp.prototype;

// A spy of the test framework would keep every call.
function countWork(): void {
  String.prototype.charCodeAt = function (this: string, at) {
    work.units++;
    return charCodeAt.call(this, at);
  };
  String.prototype.slice = function (this: string, from, to) {
    const part = slice.call(this, from, to);
    work.units += part.length;
    return part;
  };
  RegExp.prototype.test = function (this: RegExp, text) {
    if (!this.sticky) work.units += text.length;
    return test.call(this, text);
  };
  RegExp.prototype.exec = function (this: RegExp, text) {
    if (!this.sticky) work.units += text.length;
    return exec.call(this, text);
  };
}

function countNoMore(): void {
  Object.assign(String.prototype, { charCodeAt, slice });
  Object.assign(RegExp.prototype, { test, exec });
}

/** Units of work for each chunk, on average, in the second and in the last eighth of a text. */
function costs(unit: string): readonly [number, number] {
  const text = unit.repeat(Math.ceil(textLength / unit.length)).slice(0, textLength);
  const stream = engine.openStream(create(EvaluateRequestSchema), context);
  expect(stream.untilVerdict).toEqual([]);
  const spent: number[] = [];
  for (let at = 0; at < text.length; at += chunkLength) {
    const chunk = text.slice(at, at + chunkLength);
    const before = work.units;
    stream.push(chunk);
    spent.push(work.units - before);
  }
  const eighth = spent.length / 8;
  const mean = (from: number) => spent.slice(from, from + eighth).reduce((a, b) => a + b, 0) / eighth;
  return [mean(eighth), mean(spent.length - eighth)];
}

describe("a chunk of a stream costs as much at the end of a long text as near its beginning", () => {
  beforeEach(countWork);
  afterEach(countNoMore);

  it.each([
    ["prose", "The committee met on Tuesday and, after a short break, agreed on the next steps for all.\n"],
    ["findings", "Write to ann@example.com or call 020 7946 0958; see ticket 42 and pay 4111 1111 1111 1111 soon. "],
    ["letters that encode", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo"],
    ["one long word", "a"],
    ["digits", "12 345 "],
    ["headers of keys", "-----BEGIN PRIVATE KEY----- "],
  ])("in %s", (_, unit) => {
    const [early, late] = costs(unit);
    expect(late).toBeLessThan(early * 1.25);
  });
});
