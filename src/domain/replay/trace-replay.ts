// Replays of single traces. What customers wrote is compiled and judged by a job of analysis; nothing is enforced,
// recorded or counted.

import { type JsonValue, toBinary } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { replayabilityOf } from "../../../runtime/engine/replay/replayability.ts";
import { Fault, insufficientScope, validationFailed } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { ReplayBy, ReplayResult } from "../analysis/replay-trace.ts";
import { listTexts } from "../playground/playground.ts";
import { PolicyFinder } from "../playground/selection.ts";
import { enabledSchemas } from "../policy/output-schema.ts";
import { maySeeText, type Trace, type Traces } from "../telemetry/trace.ts";

/** A bundle by which traces are replayed. */
export interface ReplayedBundle {
  readonly projectId: string;
  readonly environment: string;
  /** Default: the active one. */
  readonly version: number | undefined;
}

/** How to replay a trace: exactly one of the document, the policy and the bundle. */
export interface ReplayRequest {
  readonly document: JsonValue | undefined;
  readonly policyId: string | undefined;
  readonly version: number | undefined;
  readonly bundle: ReplayedBundle | undefined;
  readonly by: ReplayBy;
  readonly asOf: "trace" | "now";
}

/** A trace with its replay. */
export interface ReplayedTrace {
  readonly trace: Trace;
  readonly result: ReplayResult;
}

/** What replays work with. */
export interface TraceReplayParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly analysis: Analysis;
  readonly traces: Pick<Traces, "get">;
}

/** Replays traces. */
export class TraceReplay {
  readonly #parts: TraceReplayParts;
  readonly #finder: PolicyFinder;

  constructor(parts: TraceReplayParts) {
    this.#parts = parts;
    this.#finder = new PolicyFinder(parts.database);
  }

  /** Judges a trace by other policies. */
  async replay(caller: Caller, traceId: string, request: ReplayRequest, signal?: AbortSignal): Promise<ReplayedTrace> {
    assertOneTarget(request);
    const { analysis, clock, traces } = this.#parts;
    const mayReadText = maySeeText(caller);
    if (request.by === "text" && !mayReadText)
      throw insufficientScope("captured text is for editors and admins; replay by signals instead", { role: "editor" });
    const trace = await traces.get(caller, traceId);
    const { environment, projectId } = trace;
    const record = mayReadText ? trace.record : { ...trace.record, segments: [] };
    assertReplayable({ ...trace, record }, request.by);
    const nowMs = request.asOf === "now" ? clock.now().getTime() : trace.createdAt.getTime();
    const about = { record: toBinary(EvaluationRecordSchema, record), by: request.by, nowMs };
    const asker = { orgId: caller.orgId, signal };
    if (request.bundle !== undefined) {
      const { parts, ...where } = await this.#finder.bundle(caller, request.bundle);
      const { environment: env, projectId: project } = where;
      const question = { ...about, parts, environment: env, projectId: project };
      return { trace, result: await analysis.run("replayBundle", question, asker) };
    }
    const [selected] = await this.#finder.find(caller, request);
    if (selected === undefined) throw new Error("a document or a policy selects one policy");
    const { policyId = "", version = 0, scope } = selected;
    const document = await selected.document();
    const around = await this.#parts.database.read(caller.orgId, async (tx) => ({
      lists: await listTexts(tx, projectId),
      schemas: await enabledSchemas(tx),
    }));
    const question = { ...about, ...around, document, policyId, version, scope, environment, projectId };
    return { trace, result: await analysis.run("replayPolicy", question, asker) };
  }
}

/** Throws unless exactly one of the document, the policy and the bundle is given. */
export function assertOneTarget({
  document,
  policyId,
  version,
  bundle,
}: Pick<ReplayRequest, "document" | "policyId" | "version" | "bundle">): void {
  const violations = [];
  if ([document, policyId, bundle].filter((each) => each !== undefined).length !== 1)
    violations.push({ field: "document", message: "exactly one of document, policy_id and bundle is needed" });
  if (version !== undefined && policyId === undefined)
    violations.push({ field: "version", message: "only a stored policy has versions; give policy_id" });
  if (violations.length > 0) throw validationFailed(violations);
}

function assertReplayable({ record, erasedAt }: Pick<Trace, "record" | "erasedAt">, by: ReplayBy): void {
  const hasText = record.segments.some(({ text }) => text !== "");
  if (by === "text" && !hasText) throw notReplayable("its text was not kept; replay it by signals");
  if (erasedAt === null && replayabilityOf(record, { hasText }) !== "no") return;
  throw notReplayable(
    erasedAt === null
      ? "it has neither facts for replays nor its whole text: its runtime is older, or its environment keeps no facts"
      : "what it was about was erased",
  );
}

function notReplayable(why: string): Fault {
  return new Fault(Reason.TRACE_NOT_REPLAYABLE, `the trace cannot be replayed: ${why}`);
}
