// Replays the record of an evaluation by one policy, or by a bundle.

import type { JsonValue } from "@bufbuild/protobuf";
import { fromBinary } from "@bufbuild/protobuf";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Engine } from "../../../runtime/engine/engine.ts";
import { engineDigest } from "../../../runtime/engine/evaluate/record-digest.ts";
import { canonicalPolicy } from "../../../runtime/engine/policy/parse.ts";
import type { PolicyScope } from "../../../runtime/engine/policy-plan/compiled-policy.ts";
import type { Replayed } from "../../../runtime/engine/replay/replay.ts";
import type { SchemaSource } from "../../../runtime/engine/schema/output-schema.ts";
import { type ListText, parsedList, type StoredPart } from "./stored-part.ts";
import type { Tools } from "./tools.ts";
import { bundleSource, compiled, soundPolicy } from "./try-policy.ts";

/** By what to replay. */
export type ReplayBy = "auto" | "signals" | "text";

/** A record to replay. */
interface Replay {
  /** The EvaluationRecord's bytes, with the text that may be read. */
  readonly record: Uint8Array;
  readonly by: ReplayBy;
  /** The time at which the policies are judged, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly environment: string;
  readonly projectId: string;
}

/** A record to replay by one policy, in place of the policy of its name. */
export interface PolicyReplay extends Replay {
  readonly document: JsonValue;
  readonly policyId: string;
  readonly version: number;
  readonly scope: PolicyScope;
  readonly lists: readonly ListText[];
  readonly schemas: readonly SchemaSource[];
}

/** A record to replay by a bundle. */
export interface BundleReplay extends Replay {
  readonly parts: readonly StoredPart[];
}

/** The result of a replay. */
export interface ReplayResult extends Replayed {
  /** The detection that judged. */
  readonly engine: string;
}

/** Replays a record by one policy. */
export function replayPolicy(question: PolicyReplay, tools: Tools): ReplayResult {
  const { document, policyId, version, scope, lists, schemas, environment, projectId } = question;
  const { packs, enter } = tools;
  enter("reading the document");
  const policy = soundPolicy(document, packs);
  const { name } = policy.metadata;
  const policies = [{ policyId, name, version, scope, document: canonicalPolicy(policy), packs }];
  enter("compiling the policy");
  const engine = compiled({ policies, lists: lists.map(parsedList), schemas, environment, projectId }, tools);
  return judged(engine, question, name, tools);
}

/** Replays a record by a bundle. */
export function replayBundle(question: BundleReplay, tools: Tools): ReplayResult {
  const { parts, environment, projectId } = question;
  tools.enter("reading the bundle");
  const source = { ...bundleSource(parts), environment, projectId };
  tools.enter("compiling the policies");
  return judged(compiled(source, tools), question, undefined, tools);
}

function judged(engine: Engine, { record: bytes, by, nowMs }: Replay, replaces: string | undefined, tools: Tools) {
  tools.enter("judging the trace");
  const record = fromBinary(EvaluationRecordSchema, bytes);
  return { ...replayBy(engine, record, { by, nowMs, replaces }), engine: engineDigest };
}

/** Replays by the signals, and by the text where they do not suffice. */
function replayBy(
  engine: Engine,
  record: Parameters<Engine["replay"]>[0],
  { by, ...options }: { readonly by: ReplayBy; readonly nowMs: number; readonly replaces: string | undefined },
): Replayed {
  if (by === "text") return engine.replay(record, { ...options, useText: true });
  const bySignals = engine.replay(record, { ...options, useText: false });
  if (by === "signals" || bySignals.reasons.length === 0) return bySignals;
  const byText = engine.replay(record, { ...options, useText: true });
  return byText.usedText ? byText : bySignals;
}
