import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import {
  LeaseWish,
  ReportingService,
  type ReportRequest,
  ReportResponseSchema,
} from "../../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { Reporter } from "../../../../runtime/control-plane/report/reporter.ts";
import { openSpool, type Spool } from "../../../../runtime/control-plane/spool/spool.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { eventually } from "../../../harness/eventually.ts";

const log = pino({ level: "silent" });
const status = {
  ...{ bundleVersion: 1, activationSeq: 1, rejection: "", leases: [] },
  ...{ leaseWish: LeaseWish.UNSPECIFIED, leaseDemand: 0 },
};
const nothing = () => undefined;

let folder: string;
let spool: Spool;
let plane: ReturnType<typeof controlPlane>;
let reporter: Reporter;

/** A control plane that acknowledges when it is told. */
function controlPlane() {
  const sizes: number[] = [];
  let newest = 0;
  let wake = Promise.withResolvers<void>();
  const acknowledged: number[] = [];
  const transport = createRouterTransport(({ service }) =>
    service(ReportingService, {
      async *report(requests: AsyncIterable<ReportRequest>) {
        const reading = (async () => {
          for await (const { message } of requests) {
            if (message.case !== "batch") continue;
            sizes.push(message.value.records.length);
            newest = message.value.lastSeq;
          }
        })();
        yield create(ReportResponseSchema, {});
        const ended = reading.finally(() => wake.resolve());
        let isOver = false;
        void ended.then(() => {
          isOver = true;
        });
        while (!isOver) {
          await wake.promise;
          wake = Promise.withResolvers<void>();
          for (const lastSeq of acknowledged.splice(0))
            yield create(ReportResponseSchema, { message: { case: "ack", value: { lastSeq } } });
        }
      },
    }),
  );
  return {
    sizes,
    client: createClient(ReportingService, transport),
    acknowledgeAll() {
      acknowledged.push(newest);
      wake.resolve();
    },
  };
}

/**
 * A reporter whose streams all fail, unless they are told to get as far as an answer; how long it slept between them.
 */
function failingReporter(random: () => number) {
  const slept: number[] = [];
  let wake = Promise.withResolvers<void>();
  let answers = 0;
  const transport = createRouterTransport(({ service }) =>
    service(ReportingService, {
      async *report() {
        if (answers-- > 0) yield create(ReportResponseSchema, {});
        throw new ConnectError("away", Code.Unavailable);
      },
    }),
  );
  const failing = new Reporter({
    ...{ client: createClient(ReportingService, transport), instanceId: "two", spool, log, status: () => status },
    ...{
      onBundleChanged: nothing,
      onTokens: nothing,
      candidateTally: nothing,
      onQuota: nothing,
      onCheckpoint: nothing,
    },
    onConnect: async () => undefined,
    random,
    sleep(delayMs, signal) {
      slept.push(delayMs);
      signal.addEventListener("abort", () => wake.resolve());
      return wake.promise;
    },
  });
  onTestFinished(() => failing.stop(AbortSignal.abort()));
  return {
    slept,
    /** Waits until it sleeps, and wakes it. */
    async next({ answered = false } = {}) {
      const before = slept.length;
      answers = answered ? 1 : 0;
      const { resolve } = wake;
      wake = Promise.withResolvers();
      resolve();
      await eventually(() => expect(slept.length).toBe(before + 1));
    },
  };
}

function append(count: number): void {
  const record = toBinary(EvaluationRecordSchema, create(EvaluationRecordSchema, { evaluationId: "one" }));
  for (let index = 0; index < count; index += 1) void spool.append(record);
  reporter.notify();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "policy-guard-reporter-"));
  spool = await openSpool({ folder, mode: "fast", clock: systemClock });
  plane = controlPlane();
  reporter = new Reporter({
    ...{ client: plane.client, instanceId: "one", spool, log, status: () => status },
    ...{
      onBundleChanged: nothing,
      onTokens: nothing,
      candidateTally: nothing,
      onQuota: nothing,
      onCheckpoint: nothing,
    },
    onConnect: async () => undefined,
  });
  await eventually(() => expect(reporter.isConnected).toBe(true));
});

afterEach(async () => {
  await reporter.stop(AbortSignal.abort());
  await spool.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a reporter", () => {
  it("sends the first record at once, and those that come before its acknowledgement together", async () => {
    append(1);
    await eventually(() => expect(plane.sizes).toEqual([1]));
    for (let count = 0; count < 20; count += 1) append(1);
    plane.acknowledgeAll();
    await eventually(() => expect(plane.sizes).toEqual([1, 20]));
    plane.acknowledgeAll();
    await eventually(() => expect(spool.depth()).toBe(0));
  });

  it("sends full batches without waiting, eight of them at most, and the rest when there is room", async () => {
    append(10 * 256 + 7);
    await eventually(() => expect(plane.sizes).toEqual(Array.from({ length: 8 }, () => 256)));
    plane.acknowledgeAll();
    await eventually(() => expect(plane.sizes).toHaveLength(10));
    plane.acknowledgeAll();
    await eventually(() => expect(plane.sizes.at(-1)).toBe(7));
    plane.acknowledgeAll();
    await eventually(() => expect(spool.depth()).toBe(0));
    expect(plane.sizes).toHaveLength(11);
  });

  it("backs off from 0.1 to 30 seconds while streams fail, and starts again after an answer", async () => {
    const { slept, next } = failingReporter(() => 0.5);
    await eventually(() => expect(slept).toHaveLength(1));
    for (let failure = 1; failure < 12; failure += 1) await next();
    expect(slept.slice(0, 4)).toEqual([150, 250, 450, 850]);
    expect(slept.at(-1)).toBe(15_050);
    await next({ answered: true });
    expect(slept.at(-1)).toBe(100);
    await next();
    expect(slept.at(-1)).toBe(150);
  });

  it("spreads its attempts over the whole of each pause, so that a fleet does not come back at once", async () => {
    const parts = [0, 0.25, 0.999];
    const { slept, next } = failingReporter(() => parts[slept.length % parts.length] ?? 0);
    await eventually(() => expect(slept).toHaveLength(1));
    for (let failure = 1; failure < 12; failure += 1) await next();
    const late = slept.slice(-3).map((delayMs) => Math.round(delayMs / 100) * 100);
    expect(late).toEqual([100, 7_600, 30_000]);
  });
});
