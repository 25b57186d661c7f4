// Replays the record of an evaluation by one policy, or by a bundle.

import { createHash } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";
import { fromBinary } from "@bufbuild/protobuf";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { exampleAgent } from "../../../runtime/engine/authoring/test-runner.ts";
import type { Engine } from "../../../runtime/engine/engine.ts";
import { engineDigest } from "../../../runtime/engine/evaluate/record-digest.ts";
import { canonicalPolicy } from "../../../runtime/engine/policy/parse.ts";
import type { PolicyScope } from "../../../runtime/engine/policy-plan/compiled-policy.ts";
import type { Replayed } from "../../../runtime/engine/replay/replay.ts";
import type { SchemaSource } from "../../../runtime/engine/schema/output-schema.ts";
import { BoundedCache } from "../../kit/process/bounded-cache.ts";
import { type ListText, parsedList, type StoredPart } from "./stored-part.ts";
import type { Tools } from "./tools.ts";
import { bundleSource, compiled, soundPolicy, usualEnvironment } from "./try-policy.ts";

/** By what to replay. */
export type ReplayBy = "auto" | "signals" | "text";

/** A record to replay. */
interface Replay {
  /** The EvaluationRecord's bytes, with the text that may be read. */
  readonly record: Uint8Array;
  readonly by: ReplayBy;
  /** The time at which the policies are judged, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** One policy by which to replay, in place of the policy of its name. */
export interface PolicyTarget {
  readonly document: JsonValue;
  readonly policyId: string;
  readonly version: number;
  readonly scope: PolicyScope;
  readonly lists: readonly ListText[];
  readonly schemas: readonly SchemaSource[];
  /** Undefined: one that the policy applies to. */
  readonly environment: string | undefined;
  readonly projectId: string;
}

/** A bundle by which to replay. */
export interface BundleTarget {
  readonly parts: readonly StoredPart[];
  readonly environment: string;
  readonly projectId: string;
}

/** By what to replay traces. */
export type ReplayTarget = PolicyTarget | BundleTarget;

/** A record to replay by one policy. */
export type PolicyReplay = Replay & PolicyTarget;

/** A record to replay by a bundle. */
export type BundleReplay = Replay & BundleTarget;

/** What judges replays: an engine, and the name of the policy that it replaces; undefined when it judges alone. */
export interface ReplayJudge {
  readonly engine: Engine;
  readonly replaces: string | undefined;
  /** An agent that the policy applies to; undefined when it applies to all, and for a bundle. */
  readonly agent: string | undefined;
}

/** The result of a replay. */
export interface ReplayResult extends Replayed {
  /** The detection that judged. */
  readonly engine: string;
}

/** Replays a record by one policy. */
export function replayPolicy({ record, by, nowMs, ...target }: PolicyReplay, tools: Tools): ReplayResult {
  return judged(judgeOf(target, tools), { record, by, nowMs }, tools);
}

/** Replays a record by a bundle. */
export function replayBundle({ record, by, nowMs, ...target }: BundleReplay, tools: Tools): ReplayResult {
  return judged(judgeOf(target, tools), { record, by, nowMs }, tools);
}

/**
 * A run asks about the same policies time and again, and so does somebody who goes from trace to trace, so the last few
 * engines are kept.
 */
const maxJudges = 4;
const judges = new BoundedCache<string, ReplayJudge>({ maxEntries: maxJudges });

/** What judges by the target; engines are kept for a while. */
export function judgeOf(target: ReplayTarget, tools: Tools): ReplayJudge {
  const key = digestOf(target);
  const known = judges.get(key);
  if (known !== undefined) return known;
  const judge = "parts" in target ? bundleJudge(target, tools) : policyJudge(target, tools);
  judges.set(key, judge);
  return judge;
}

function digestOf(target: ReplayTarget): string {
  const hash = createHash("sha256");
  if ("parts" in target) {
    const { parts, ...where } = target;
    hash.update(JSON.stringify([where, parts.map(({ path, data }) => [path, data.length])]));
    for (const { data } of parts) hash.update(data);
  } else {
    hash.update(JSON.stringify(target));
  }
  return hash.digest("base64");
}

/** The judge by one policy. */
function policyJudge(target: PolicyTarget, tools: Tools): ReplayJudge & { readonly replaces: string } {
  const { document, policyId, version, scope, lists, schemas, environment, projectId } = target;
  const { packs, enter } = tools;
  enter("reading the document");
  const policy = soundPolicy(document, packs);
  const { name } = policy.metadata;
  const policies = [{ policyId, name, version, scope, document: canonicalPolicy(policy), packs }];
  enter("compiling the policy");
  const where = { environment: environment ?? usualEnvironment(policy, scope), projectId };
  const source = { policies, lists: lists.map(parsedList), schemas, ...where };
  return { engine: compiled(source, tools), replaces: name, agent: exampleAgent(policy) };
}

/** The judge by a bundle. */
function bundleJudge({ parts, environment, projectId }: BundleTarget, tools: Tools): ReplayJudge {
  tools.enter("reading the bundle");
  const source = { ...bundleSource(parts), environment, projectId };
  tools.enter("compiling the policies");
  return { engine: compiled(source, tools), replaces: undefined, agent: undefined };
}

function judged(judge: ReplayJudge, { record: bytes, ...how }: Replay, tools: Tools): ReplayResult {
  tools.enter("judging the trace");
  return { ...replayBy(judge, fromBinary(EvaluationRecordSchema, bytes), how), engine: engineDigest };
}

/** Replays by the signals, and by the text where they do not suffice. */
export function replayBy(
  { engine, replaces }: ReplayJudge,
  record: EvaluationRecord,
  { by, nowMs }: { readonly by: ReplayBy; readonly nowMs: number },
): Replayed {
  const options = { nowMs, replaces };
  if (by === "text") return engine.replay(record, { ...options, useText: true });
  const bySignals = engine.replay(record, { ...options, useText: false });
  if (by === "signals" || bySignals.reasons.length === 0) return bySignals;
  const byText = engine.replay(record, { ...options, useText: true });
  return byText.usedText ? byText : bySignals;
}
