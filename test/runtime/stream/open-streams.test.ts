// The bounds of open streams: how many, how long, how much memory, and that each is one record whatever ends it.

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluateRequestSchema, EvaluateResponseSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { ToolCallPartSchema } from "../../../gen/policyguard/policy/v1/stream_pb.ts";
import { OpenStreams } from "../../../runtime/stream/open-streams.ts";
import { streamLimits } from "../../../runtime/stream/stream-limits.ts";
import { StreamSessions } from "../../../runtime/stream/stream-sessions.ts";
import { context, streamEngine } from "../engine/stream/sample-stream.ts";

const engine = streamEngine(
  'detectors:\n  d: {use: keywords, keywords: [bluebird]}\n  e: {use: pii}\n  s: {use: regex, patterns: ["\\\\bab{2,6}c"]}\nrules:\n' +
    ["d", "e", "s"].map((name) => `  - {id: ${name}, stages: [output], detect: ${name}, action: REDACT}`).join("\n"),
);
const request = create(EvaluateRequestSchema);

/** Streams of the engine, which count their records instead of keeping them. */
function openStreams(limits: Partial<typeof streamLimits> = {}) {
  const records: number[] = [];
  const dropped: number[] = [];
  const evaluator = {
    openStream: () => {
      const stream = engine.openStream(request, context);
      return {
        stream,
        ask: () => undefined,
        drop: () => dropped.push(stream.length),
        finish: () => {
          records.push(stream.length);
          return { released: stream.finish().released, response: create(EvaluateResponseSchema) };
        },
      };
    },
  };
  return { records, dropped, streams: new OpenStreams(evaluator, { ...streamLimits, ...limits }) };
}

describe("open streams", () => {
  it("take a bounded amount of memory each: 2,000 of them with 4 KB of text", () => {
    const { streams } = openStreams();
    const text = "Some ordinary words of an answer, and a number 42. ".repeat(4);
    streams.open(request, Stage.OUTPUT).cancel();
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const open = Array.from({ length: 2_000 }, () => streams.open(request, Stage.OUTPUT));
    for (let round = 0; round < 20; round++) for (const stream of open) stream.push(text);
    globalThis.gc?.();
    const each = (process.memoryUsage().heapUsed - before) / open.length;
    expect(streams.count).toBe(2_000);
    expect(each).toBeLessThan(96 * 1024);
    for (const stream of open) stream.cancel();
    expect(streams.count).toBe(0);
  });

  it("are refused beyond the max number", () => {
    const { streams } = openStreams({ streams: 2 });
    const [first] = [streams.open(request, Stage.OUTPUT), streams.open(request, Stage.OUTPUT)];
    expect(() => streams.open(request, Stage.OUTPUT)).toThrow(/as many open streams/);
    first?.cancel();
    expect(() => streams.open(request, Stage.OUTPUT)).not.toThrow();
  });

  it("take no more than the max text, alone and together", () => {
    const { streams } = openStreams({ units: 10, allUnits: 15 });
    const [first, second] = [streams.open(request, Stage.OUTPUT), streams.open(request, Stage.OUTPUT)];
    expect(() => first.push("12345678901")).toThrow();
    first.push("1234567890");
    expect(() => second.push("123456")).toThrow(/too much text together/);
    first.finish();
    expect(() => second.push("123456")).not.toThrow();
  });

  it("are one record each, finished or cancelled, and none without text", () => {
    const { streams, records, dropped } = openStreams();
    const [finished, cancelled, silent] = Array.from({ length: 3 }, () => streams.open(request, Stage.OUTPUT));
    finished?.push("abc");
    finished?.finish();
    finished?.cancel();
    cancelled?.push("ab");
    cancelled?.cancel();
    cancelled?.cancel();
    silent?.cancel();
    expect(records).toEqual([3, 2]);
    expect(dropped).toEqual([0]);
  });

  it("end by themselves when nobody pushes", () => {
    const { streams, records } = openStreams({ idleMs: 1_000, maxDurationMs: 2_500 });
    const sessions = new StreamSessions(streams);
    const id = sessions.add(streams.open(request, Stage.OUTPUT), "ann", 0);
    sessions.get(id, "ann", 900).push("abc");
    sessions.expire(1_500);
    expect(() => sessions.get(id, "bob", 1_600)).toThrow();
    sessions.get(id, "ann", 1_800);
    sessions.expire(2_600);
    expect(() => sessions.get(id, "ann", 2_600)).toThrow();
    expect(records).toEqual([3]);
  });

  it("refuse arguments of calls that are not a JSON object, at the end", () => {
    const { streams } = openStreams();
    const stream = streams.open(request, Stage.OUTPUT);
    stream.addCall(create(ToolCallPartSchema, { id: "c", name: "t", arguments: '{"a": ' }));
    expect(() => stream.finish()).toThrow();
    expect(streams.count).toBe(1);
    stream.cancel();
    expect(streams.count).toBe(0);
  });
});
