// What spans cost an evaluation: without a collector, with one at the default of 1 % of traces, and with every trace
// recorded. The three take turns within one process, a thousand evaluations at a time, so that a noisy neighbour
// disturbs all of them alike; the collector is a process of its own. What HTTP costs is left out, so a share is an
// upper bound.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { Registry } from "prom-client";
import { stringify } from "yaml";
import { traceOfCall, withinTraceOf } from "../gateway/fast/call.ts";
import { EvaluateRequestSchema } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { BundleHolder } from "../runtime/bundle/active-bundle.ts";
import { verifyBundle } from "../runtime/bundle/verify.ts";
import { runtimeVersion } from "../runtime/bundle/version.ts";
import { openSpool } from "../runtime/control-plane/spool/spool.ts";
import { ScanCache } from "../runtime/engine/scan/scan-cache.ts";
import { Evaluator } from "../runtime/evaluate/evaluator.ts";
import { SessionStore } from "../runtime/session/session-store.ts";
import { maxBundleBytes } from "../src/kit/bundle/bundle-size.ts";
import { trustKeys } from "../src/kit/crypto/signing-key.ts";
import { createLog } from "../src/kit/observability/log.ts";
import { spanOfCall } from "../src/kit/observability/tracing.ts";
import { systemClock } from "../src/kit/process/clock.ts";
import { shippedModels } from "../src/kit/process/model-file.ts";
import { endCallSpan } from "../src/kit/rpc/interceptors/request.ts";
import { startTelemetry, type Telemetry } from "../src/kit/telemetry/telemetry.ts";
import { signedBundle } from "../test/harness/bundle.ts";
import { unfinishedTexts, workLoadBodies } from "./load/bodies.ts";
import { startServer } from "./load/http.ts";
import { workLoadPolicy } from "./load/policy.ts";
import type { Bench, Row } from "./measure.ts";

/** Evaluations of one turn. */
const turn = 1_000;

interface Mode {
  readonly name: string;
  readonly ratio: number | undefined;
  cpuUs: number;
  seconds: number;
}

/** Measures evaluations with and without spans. */
export const telemetryBench: Bench = async ({ isQuick }) => {
  const collector = await startServer<number>("collector");
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-bench-"));
  const evaluate = await evaluator(folder);
  const texts = (bodies: readonly string[]) => bodies.map((body) => String(JSON.parse(body).text));
  try {
    const url = `http://127.0.0.1:${collector.told}`;
    const known = texts(workLoadBodies());
    const fresh = texts(workLoadBodies(unfinishedTexts()));
    let n = 0;
    const rounds = isQuick ? 2 : 20;
    return [
      ...(await compare("remembered texts", url, { rounds, run: () => evaluate(known[n++ % known.length] ?? "") })),
      ...(await compare("new texts", url, {
        rounds,
        run: () => evaluate((fresh[n++ % fresh.length] ?? "").replace("<id>", String(n))),
      })),
    ];
  } finally {
    collector.child.kill();
    await once(collector.child, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
};

async function compare(
  what: string,
  url: string,
  { rounds, run }: { readonly rounds: number; readonly run: () => void },
): Promise<Row[]> {
  const modes: Mode[] = [
    { name: `${what}, no spans`, ratio: undefined, cpuUs: 0, seconds: 0 },
    // How far two equal rows are apart says what the others are worth.
    { name: `${what}, no spans, again`, ratio: undefined, cpuUs: 0, seconds: 0 },
    { name: `${what}, 1 % of traces`, ratio: 0.01, cpuUs: 0, seconds: 0 },
    { name: `${what}, all traces`, ratio: 1, cpuUs: 0, seconds: 0 },
  ];
  for (let i = 0; i < 2_000; i++) run();
  const log = createLog({ name: "bench", level: "warn" });
  for (let round = 0; round < rounds; round++) {
    for (const mode of modes) {
      const registry = new Registry();
      const telemetry: Telemetry = await startTelemetry(
        { otlpEndpoint: mode.ratio === undefined ? undefined : url, otlpHeaders: [], traceRatio: mode.ratio ?? 0 },
        { name: "bench", version: "1", log, metrics: { registry } },
      );
      const [startedMs, before] = [performance.now(), process.cpuUsage()];
      for (let i = 0; i < turn; i++) run();
      await telemetry.flush();
      const used = process.cpuUsage(before);
      mode.cpuUs += used.user + used.system;
      mode.seconds += (performance.now() - startedMs) / 1_000;
      for (const step of telemetry.shutdownSteps) await step.run(new AbortController().signal);
    }
  }
  const count = rounds * turn;
  return modes.map(({ name, cpuUs, seconds }, index) => ({
    ...{ name, perSecond: count / seconds, cpuUs: cpuUs / count },
    against: index === 0 ? undefined : modes[0]?.name,
  }));
}

/** Evaluates a text as the fast path does, by the policy of W and with a spool. */
async function evaluator(folder: string): Promise<(text: string) => void> {
  const clock = systemClock;
  const now = clock.now();
  const { bundle, key, ...scope } = await signedBundle([stringify(workLoadPolicy())], { models: shippedModels() });
  const trust = trustKeys([key.publicJwk]);
  const check = { bundle, trust, scope, ratchet: undefined, now, from: "network", maxBytes: maxBundleBytes } as const;
  const holder = new BundleHolder();
  const found = await verifyBundle({ ...check, runtimeVersion });
  await holder.adopt(found, { now, isConfirmed: true, keep: async () => undefined });
  const fingerprintKey = new Uint8Array(32);
  const judge = new Evaluator({
    ...{ holder, clock, fingerprintKey: () => fingerprintKey, meters: { onEvaluation: () => {} } },
    spool: await openSpool({ folder, mode: "fast", maxBytes: 256 * 1024 * 1024, clock }),
    sessions: new SessionStore({ count: 100, ttlMs: 60_000 }),
    memory: new ScanCache(8 * 1024 * 1024),
  });
  const names = { service: "policyguard.runtime.v1.EvaluationService", method: "EvaluateInput" };
  return (text) => {
    const startedAtMs = performance.now();
    const trace = traceOfCall({});
    void withinTraceOf(trace, () => judge.judge(create(EvaluateRequestSchema, { text }), Stage.INPUT));
    const span = trace && spanOfCall(trace, names.method, startedAtMs);
    if (span !== undefined) endCallSpan(span, { ...names, code: "ok", orgId: scope.orgId });
  };
}
