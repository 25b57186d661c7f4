// A control plane that no longer reads, over HTTP/2 with its flow control: the runtime holds a window of batches and no
// more, goes on taking evaluations, and delivers them all when it is read again.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import { pino } from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import {
  LeaseWish,
  ReportingService,
  type ReportRequest,
  ReportResponseSchema,
} from "../../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { Reporter } from "../../../../runtime/control-plane/report/reporter.ts";
import { openSpool } from "../../../../runtime/control-plane/spool/spool.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { eventually } from "../../../harness/eventually.ts";

const nothing = () => undefined;
const batchRecords = 256;
const windowBatches = 8;

/** A control plane that reads the first message and then waits until it may go on. */
async function startPlane() {
  const read: number[] = [];
  const gate = Promise.withResolvers<void>();
  const handler = connectNodeAdapter({
    routes: ({ service }) =>
      service(ReportingService, {
        async *report(requests: AsyncIterable<ReportRequest>) {
          for await (const { message } of requests) {
            if (message.case === "hello") {
              yield create(ReportResponseSchema, {});
              await gate.promise;
            }
            if (message.case !== "batch") continue;
            const { lastSeq } = message.value;
            read.push(lastSeq);
            yield create(ReportResponseSchema, { message: { case: "ack", value: { lastSeq } } });
          }
        },
      }),
  });
  const server = createServer(handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on TCP
  const transport = createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true });
  return { read, resume: gate.resolve, client: createClient(ReportingService, transport) };
}

it("a control plane that stops reading delays no evaluation, and costs at most a window of batches", async () => {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-back-pressure-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const spool = await openSpool({ folder, mode: "fast", clock: systemClock });
  onTestFinished(() => spool.close());
  const reads = vi.spyOn(spool, "read");
  const plane = await startPlane();
  const reporter = new Reporter({
    ...{ client: plane.client, instanceId: "one", spool, log: pino({ level: "silent" }) },
    ...{
      onBundleChanged: nothing,
      onTokens: nothing,
      candidateTally: nothing,
      onQuota: nothing,
      onCheckpoint: nothing,
    },
    ...{ onConnect: async () => undefined, status: () => idle },
  });
  onTestFinished(() => reporter.stop(AbortSignal.abort()));
  await eventually(() => expect(reporter.isConnected).toBe(true));
  const count = 20 * batchRecords;
  const record = toBinary(EvaluationRecordSchema, create(EvaluationRecordSchema, { evaluationId: "e".repeat(1000) }));
  for (let index = 0; index < count; index += 1) {
    void spool.append(record);
    reporter.notify();
  }
  await wait(500);
  expect(plane.read).toEqual([]);
  expect(reads.mock.calls.length).toBeGreaterThan(0);
  expect(reads.mock.calls.length).toBeLessThanOrEqual(windowBatches);
  expect(spool.depth()).toBe(count);
  plane.resume();
  await eventually(() => expect(spool.depth()).toBe(0));
  expect(plane.read.at(-1)).toBe(count);
});

const idle = {
  ...{ bundleVersion: 1, activationSeq: 1, rejection: "", leases: [] },
  ...{ leaseWish: LeaseWish.UNSPECIFIED, leaseDemand: 0 },
};
