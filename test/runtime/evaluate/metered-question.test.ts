// What was taken from a lease is given back when an evaluation comes to nothing, also when it breaks off while a
// backend is asked.

import { create, fromBinary } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { BundleHolder } from "../../../runtime/bundle/active-bundle.ts";
import type { Backends } from "../../../runtime/evaluate/backend/backends.ts";
import { Evaluator } from "../../../runtime/evaluate/evaluator.ts";
import { SessionStore } from "../../../runtime/session/session-store.ts";
import { OpenStreams } from "../../../runtime/stream/open-streams.ts";
import { systemClock } from "../../../src/kit/process/clock.ts";
import { verifiedBundle } from "../../harness/bundle.ts";

const holder = new BundleHolder();

beforeAll(async () => {
  const found = await verifiedBundle([
    "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: asks}\ndetectors: {model: {use: backend, backend: {key: m, categories: {bad: bad}}}}\nrules: [{id: bad, stages: [output], detect: model, action: BLOCK}]\n",
  ]);
  await holder.adopt(found, { now: new Date(), isConfirmed: true, keep: async () => undefined });
});

/** A runtime with a lease of one evaluation, whose backends are asked like this. */
function runtime(ask: Backends["ask"]) {
  const state = { left: 1, leases: [] as string[] };
  const evaluator = new Evaluator({
    ...{ holder, clock: systemClock, sessions: new SessionStore({ count: 10, ttlMs: 60_000 }), backends: { ask } },
    meter: {
      take: () => {
        state.left -= 1;
        return "lease";
      },
      giveBack: () => {
        state.left += 1;
      },
    },
    spool: { append: (record) => state.leases.push(fromBinary(EvaluationRecordSchema, record).leaseId) },
    fingerprintKey: () => new Uint8Array(32),
    meters: { onEvaluation: () => undefined },
  });
  return { evaluator, state, streams: new OpenStreams(evaluator) };
}

const request = () => create(EvaluateRequestSchema, { text: "some words" });
const breaksOff: Backends["ask"] = () => Promise.reject(new Error("broken off"));
const throws: Backends["ask"] = () => {
  throw new Error("broken off");
};

describe("an evaluation that fails while a backend is asked", () => {
  it.each([
    ["rejects", breaksOff],
    ["throws", throws],
  ])("gives back what it took, once, when the question %s", async (_, ask) => {
    const { evaluator, state } = runtime(ask);
    await expect(evaluator.evaluate(request(), Stage.OUTPUT)).rejects.toThrow("broken off");
    expect(state).toEqual({ left: 1, leases: [] });
  });

  it("is one record on its lease when the question of a stream rejects, like any stream that got text", async () => {
    const { streams, state } = runtime(breaksOff);
    const stream = streams.open(create(EvaluateRequestSchema), Stage.OUTPUT);
    stream.push("some words");
    await expect(stream.ask()).rejects.toThrow("broken off");
    stream.cancel();
    expect(state).toEqual({ left: 0, leases: ["lease"] });
    expect(streams.count).toBe(0);
  });
});
