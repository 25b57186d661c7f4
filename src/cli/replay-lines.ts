// Requests with what was decided about them, from a file of JSON lines: requests as applications send them, or traces
// as they are exported.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Outcome } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Evaluation } from "../../runtime/engine/evaluate/evaluation.ts";
import { type StageName, stageNames } from "../../runtime/engine/policy/document.ts";
import { nameOf, outcomes } from "../../runtime/engine/policy/enum-names.ts";
import { usageFailure } from "./failure.ts";
import { decode, readBytes } from "./file.ts";
import { requestOf, type Subject, subjectOf } from "./request.ts";

const maxBytes = 256 * 1024 * 1024;

/** Lines whose outcome changes that are told one by one. */
export const maxChanges = 1_000;

/** A line of the file. */
export interface ReplayLine {
  readonly number: number;
  readonly id: string | null;
  readonly subject: Subject;
  /** The outcome that the line tells; undefined when it tells none. */
  readonly outcome: Outcome | undefined;
}

/** The lines of a file. Throws for the first that is neither a request nor a trace with its text. */
export function* replayLines(path: string): Generator<ReplayLine> {
  const text = decode(readBytes(path, maxBytes), path);
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    yield lineOf(line, index + 1, `${path}:${index + 1}`);
  }
}

function lineOf(line: string, number: number, where: string): ReplayLine {
  const json = parsed(line, where);
  const { outcome, stage, id, ...rest } = json;
  const body = "org_id" in json && "segments" in json ? requestOfTrace(json, where) : rest;
  if (outcome !== undefined && (typeof outcome !== "string" || !(outcome in outcomes)))
    throw usageFailure(`${where}: "outcome" is one of ${Object.keys(outcomes).join(", ")}`);
  if (stage !== undefined && !stageNames.some((name) => name === stage))
    throw usageFailure(`${where}: "stage" is one of ${stageNames.join(", ")}`);
  return {
    number,
    id: typeof id === "string" ? id : null,
    subject: subjectOf(requestOf(where, body), stage as StageName | undefined), // just checked
    outcome: outcome === undefined ? undefined : outcomes[outcome as keyof typeof outcomes], // just checked
  };
}

function parsed(line: string, where: string): JsonObject {
  let json: JsonValue;
  try {
    json = JSON.parse(line);
  } catch (error) {
    throw usageFailure(`${where}: this is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json;
  throw usageFailure(`${where}: expected a JSON object`);
}

/** The request of an exported trace, as far as the trace has it. */
function requestOfTrace(trace: JsonObject, where: string): JsonObject {
  const segments = Array.isArray(trace.segments) ? trace.segments : [];
  if (trace.capture !== "full" || segments.length === 0)
    throw usageFailure(
      `${where}: the trace has no whole text`,
      "`policy-guard replay <trace id>` replays it on the server, without its text.",
    );
  const { agent_id, session_id, user_id, metadata } = trace;
  return {
    segments,
    ...(agent_id != null && { agent_id }),
    ...(session_id != null && { session_id }),
    ...(user_id != null && { subject: { user_id } }),
    ...(metadata != null && { metadata }),
  };
}

/** What a replay of lines comes to. */
export class ReplayTally {
  readonly #matrix = new Map<string, number>();
  readonly changes: { readonly line: number; readonly id: string | null; readonly was: string; readonly is: string }[] =
    [];
  lines = 0;
  changed = 0;
  newlyBlocked = 0;
  noLongerBlocked = 0;

  /** Adds a line with the outcome that it had and the one that it gets. */
  add({ number, id }: ReplayLine, was: Outcome, { response }: Evaluation): void {
    const names = { was: nameOf(outcomes, was), is: nameOf(outcomes, response.outcome) };
    const cell = `${names.was} ${names.is}`;
    this.#matrix.set(cell, (this.#matrix.get(cell) ?? 0) + 1);
    this.lines += 1;
    if (was === response.outcome) return;
    this.changed += 1;
    if (response.outcome === Outcome.BLOCK) this.newlyBlocked += 1;
    if (was === Outcome.BLOCK) this.noLongerBlocked += 1;
    if (this.changes.length < maxChanges) this.changes.push({ line: number, id, ...names });
  }

  /** How many lines went from one outcome to another. */
  get matrix(): { readonly was: string; readonly is: string; readonly lines: number }[] {
    return [...this.#matrix]
      .map(([cell, lines]) => {
        const [was = "", is = ""] = cell.split(" ");
        return { was, is, lines };
      })
      .sort((a, b) => b.lines - a.lines);
  }
}
