// What facts for replays cost an evaluation, and how fast records are replayed: against an evaluation that keeps none,
// against decoding alone, and against the engine alone on the same texts.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { EvaluateRequestSchema } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { CaptureMode, EvaluationRecordSchema } from "../gen/policyguard/policy/v1/record_pb.ts";
import { recordOf } from "../runtime/control-plane/record.ts";
import { binaryViewer } from "../src/kit/protobuf/binary-write.ts";
import { workLoadTexts } from "./load/bodies.ts";
import { benchContext, compiledWorkLoad } from "./load/engine.ts";
import { type Bench, type Case, measure, median, timed } from "./measure.ts";

const repeats = 20;
const write = binaryViewer(EvaluationRecordSchema);

/** Measures facts and replays. */
export const replayBench: Bench = () => {
  const texts = workLoadTexts();
  const engine = compiledWorkLoad();
  const recorded = (text: string, replayFacts: boolean, capture: CaptureMode = CaptureMode.NONE) => {
    const request = create(EvaluateRequestSchema, { text });
    const evaluation = engine.evaluate(request, benchContext);
    // Of the bundle a record reads only these.
    const loaded = { reference: benchContext.bundle, capture, replayFacts } as Parameters<typeof recordOf>[2]["loaded"];
    return recordOf(request, evaluation, { stage: benchContext.stage, now: benchContext.now, loaded });
  };
  const bytesOf = (text: string, replayFacts: boolean, capture?: CaptureMode) =>
    toBinary(EvaluationRecordSchema, recorded(text, replayFacts, capture));
  const added = texts.map((text) => bytesOf(text, true).length - bytesOf(text, false).length);
  console.log(`facts add ${median(added)} bytes to a record, at most ${Math.max(...added)}\n`);
  const bySignals = new Map(texts.map((text) => [text, bytesOf(text, true)]));
  const withText = new Map(texts.map((text) => [text, bytesOf(text, true, CaptureMode.FULL)]));
  const read = (from: ReadonlyMap<string, Uint8Array>, text: string) =>
    fromBinary(EvaluationRecordSchema, from.get(text) ?? new Uint8Array());
  const replayed = (from: ReadonlyMap<string, Uint8Array>, useText: boolean) => (text: string) =>
    engine.replay(read(from, text), { nowMs: 0, useText }).range.least;
  const one = (name: string, times: number, work: (text: string) => number, against?: string): Case => ({
    name,
    ...(against !== undefined && { against }),
    run: () => timed(texts, times, work),
  });
  const plain = "evaluation with its record, without facts";
  const decoding = "decoding of records alone";
  const alone = "engine alone";
  return measure([
    one(plain, repeats, (text) => write(recorded(text, false)).length),
    one("evaluation with its record and facts", repeats, (text) => write(recorded(text, true)).length, plain),
    one(decoding, 10 * repeats, (text) => read(bySignals, text).signals.length),
    one("replay from signals, decoding included", 10 * repeats, replayed(bySignals, false), decoding),
    one(alone, repeats, (text) => {
      return engine.evaluate(create(EvaluateRequestSchema, { text }), benchContext).findings.length;
    }),
    one("replay from text, decoding included", repeats, replayed(withText, true), alone),
  ]);
};
