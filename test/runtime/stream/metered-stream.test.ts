// A stream is metered like any other evaluation: once, when it is opened, and not at all when nothing of it came.

import { create, fromBinary } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { BundleHolder } from "../../../runtime/bundle/active-bundle.ts";
import type { Meter } from "../../../runtime/control-plane/quota-leases.ts";
import { Evaluator } from "../../../runtime/evaluate/evaluator.ts";
import { SessionStore } from "../../../runtime/session/session-store.ts";
import { OpenStreams } from "../../../runtime/stream/open-streams.ts";
import { systemClock } from "../../../src/kit/process/clock.ts";
import { planLimitExceeded } from "../../../src/kit/rpc/quota-fault.ts";
import { verifiedBundle } from "../../harness/bundle.ts";

const holder = new BundleHolder();
const request = () => create(EvaluateRequestSchema);

beforeAll(async () => {
  const found = await verifiedBundle([
    "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: words}\ndetectors: {words: {use: keywords, keywords: [forbidden]}}\nrules: [{id: word, stages: [output], detect: words, action: BLOCK}]\n",
  ]);
  await holder.adopt(found, { now: new Date(), isConfirmed: true, keep: async () => undefined });
});

/** Streams of a runtime that has a lease of so many evaluations. */
function streamsOn(size: number) {
  let left = size;
  const meter: Meter = {
    take(now) {
      if (left === 0) throw planLimitExceeded({ limit: size, used: size, resetsAt: now, advice: "" });
      left -= 1;
      return "lease";
    },
    giveBack() {
      left += 1;
    },
  };
  const leases: string[] = [];
  const spool = {
    append: (record: Uint8Array) => leases.push(fromBinary(EvaluationRecordSchema, record).leaseId),
  };
  const evaluator = new Evaluator({
    ...{ holder, spool, meter, clock: systemClock, sessions: new SessionStore({ count: 10, ttlMs: 60_000 }) },
    fingerprintKey: () => new Uint8Array(32),
    meters: { onEvaluation: () => undefined },
  });
  return { streams: new OpenStreams(evaluator), leases, left: () => left };
}

describe("a stream", () => {
  it("takes one evaluation from the lease, and its record names it", async () => {
    const { streams, leases, left } = streamsOn(2);
    const stream = streams.open(request(), Stage.OUTPUT);
    expect(left()).toBe(1);
    for (const part of ["some ", "words"]) stream.push(part);
    await (await stream.finish()).verdict;
    expect({ left: left(), leases }).toEqual({ left: 1, leases: ["lease"] });
  });

  it("is refused at its opening when the plan is exhausted, before anything is released", () => {
    const { streams, leases } = streamsOn(0);
    expect(() => streams.open(request(), Stage.OUTPUT)).toThrow(/plan/);
    expect({ open: streams.count, leases }).toEqual({ open: 0, leases: [] });
  });

  it("gives its lease back when it got no text, and not when it was judged", () => {
    const { streams, leases, left } = streamsOn(2);
    streams.open(request(), Stage.OUTPUT).cancel();
    expect(left()).toBe(2);
    const spoken = streams.open(request(), Stage.OUTPUT);
    spoken.push("words");
    spoken.cancel();
    expect({ left: left(), leases }).toEqual({ left: 1, leases: ["lease"] });
  });
});
