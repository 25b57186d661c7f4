// CPU of a runtime: an evaluation over REST, and its report.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import { EvaluationRecordSchema } from "../../gen/policyguard/policy/v1/record_pb.ts";
import { BatchSchema } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { CountedIds, Outgoing } from "../../runtime/control-plane/report/outgoing.ts";
import { Window } from "../../runtime/control-plane/report/window.ts";
import { openSpool } from "../../runtime/control-plane/spool/spool.ts";
import { newToken } from "../../src/kit/crypto/token.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import { loadCase } from "../evaluate-rest.ts";
import { ingestedRecord } from "../ingest.ts";
import { unfinishedTexts, workLoadBodies } from "../load/bodies.ts";
import { startServer } from "../load/http.ts";
import { measure, type Round } from "../measure.ts";
import { cpuOf, onCpu } from "./round.ts";

const names = {
  evaluate: "evaluate, each text new",
  report: "report with its record",
  count: "report counted, 1 % with a record",
} as const;

/** Measures a runtime by so many records of its spool. */
export async function measureRuntime(records: number) {
  const token = newToken(CredentialKind.RUNTIME);
  const server = await startServer<number>("runtime", token);
  try {
    const rows = await measure([
      loadCase(names.evaluate, server, token, workLoadBodies(unfinishedTexts())),
      { name: names.report, run: () => report(records, 0) },
      { name: names.count, run: () => report(records, 1) },
    ]);
    const figures = {
      evaluateUs: cpuOf(rows, names.evaluate),
      reportUs: cpuOf(rows, names.report),
      countUs: cpuOf(rows, names.count),
    };
    return { rows, figures };
  } finally {
    server.child.kill();
  }
}

/** Reads a spool, and writes the messages that a stream would send of it. */
async function report(count: number, samplingPercent: number): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-bench-"));
  const spool = await openSpool({ folder, mode: "fast", clock: systemClock });
  try {
    for (let index = 0; index < count; index++) {
      void spool.append(toBinary(EvaluationRecordSchema, { ...ingestedRecord(index), samplingPercent }));
    }
    await spool.flush();
    const window = new Window(spool.firstSeq);
    const outgoing = new Outgoing({
      ...{ spool, window, counted: new CountedIds(), nowMs: () => performance.now() },
      ...{ maySample: () => samplingPercent > 0, isEnding: () => true },
    });
    return await onCpu(count, async () => {
      for (let message = await outgoing.next(); message !== undefined; message = await outgoing.next()) {
        if (message.case === "batch") toBinary(BatchSchema, create(BatchSchema, message.value));
        window.acknowledged(message.value.lastSeq);
      }
    });
  } finally {
    await spool.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
