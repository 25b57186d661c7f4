// Runtimes that come back after a while: their spools are full, and over a stream each they report everything to a
// control plane.

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { toBinary } from "@bufbuild/protobuf";
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../gen/policyguard/policy/v1/record_pb.ts";
import { LeaseWish, ReportingService } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { Reporter } from "../../runtime/control-plane/report/reporter.ts";
import { openSpool } from "../../runtime/control-plane/spool/spool.ts";
import { createLog } from "../../src/kit/observability/log.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import { cpuSecondsOf, type Round } from "../measure.ts";
import type { BenchControlPlane } from "../server/control-plane.ts";
import type { BenchServer } from "./http.ts";

const nothing = () => undefined;
const status = {
  ...{ bundleVersion: 1, activationSeq: 1, rejection: "", leases: [] },
  ...{ leaseWish: LeaseWish.UNSPECIFIED, leaseDemand: 0 },
};

/**
 * Fills a spool for each list of records, and takes the time until the control plane has acknowledged all. The CPU time
 * is the control plane's.
 */
export async function catchUp(
  { child, told }: BenchServer<BenchControlPlane>,
  lists: readonly (readonly EvaluationRecord[])[],
): Promise<Round> {
  const root = mkdtempSync(join(tmpdir(), "policy-guard-bench-"));
  const spools = await Promise.all(lists.map((records, index) => fill(join(root, String(index)), records)));
  const pid = child.pid ?? 0;
  const cpuBefore = cpuSecondsOf(pid);
  const startedAtMs = performance.now();
  const reporters = spools.map((spool) => startReporter(told, spool));
  while (spools.some((spool) => spool.depth() > 0)) await sleep(2);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const cpuSeconds = cpuSecondsOf(pid) - cpuBefore;
  await Promise.all(reporters.map((reporter) => reporter.stop(AbortSignal.abort())));
  await Promise.all(spools.map((spool) => spool.close()));
  rmSync(root, { recursive: true, force: true });
  return { operations: lists.reduce((sum, records) => sum + records.length, 0), seconds, cpuSeconds };
}

type Spool = Awaited<ReturnType<typeof openSpool>>;

async function fill(folder: string, records: readonly EvaluationRecord[]): Promise<Spool> {
  const spool = await openSpool({ folder, mode: "fast", clock: systemClock });
  for (const record of records) void spool.append(toBinary(EvaluationRecordSchema, record));
  await spool.flush();
  return spool;
}

function startReporter({ port, runtimeToken }: BenchControlPlane, spool: Spool): Reporter {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set("Authorization", `Bearer ${runtimeToken}`);
    return next(request);
  };
  const transport = createConnectTransport({
    ...{ baseUrl: `http://127.0.0.1:${port}`, httpVersion: "2", useBinaryFormat: true },
    interceptors: [authorize],
  });
  return new Reporter({
    ...{ client: createClient(ReportingService, transport), instanceId: randomUUID(), spool, status: () => status },
    ...{
      onBundleChanged: nothing,
      onTokens: nothing,
      candidateTally: nothing,
      onQuota: nothing,
      onCheckpoint: nothing,
    },
    ...{ onConnect: async () => undefined, log: createLog({ name: "bench", level: "silent" }) },
  });
}
