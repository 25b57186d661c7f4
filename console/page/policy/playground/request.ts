// What is asked in a playground: one text, several segments, or a whole request as JSON.

import type { JsonValue, MessageInitShape } from "@bufbuild/protobuf";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage, Trust } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Entry } from "../../../data/policy-addition.ts";
import { stageName, stages } from "../../../data/stage.ts";
import { fromWireJson } from "../../../data/wire-json.ts";
import { en } from "../../../text/en.ts";
import { beginningOf } from "../../../text/format.ts";

const texts = en.playground;
const trusts: Readonly<Record<string, Trust>> = { trusted: Trust.TRUSTED, untrusted: Trust.UNTRUSTED };
const shownOfText = 40;

/** One segment; empty parts are left to the stage. */
export interface Piece {
  readonly key: number;
  readonly text: string;
  readonly role: string;
  readonly origin: string;
  readonly trust: string;
}

/** What somebody asks. */
export interface Asked {
  readonly stage: Stage;
  readonly pieces: readonly Piece[];
  /** The request as JSON, in place of the pieces. */
  readonly json: string | undefined;
}

/** A request as the call takes it, and what its segments say, by their ids. */
export interface PreparedRequest {
  readonly stage: Stage;
  readonly request: MessageInitShape<typeof EvaluateRequestSchema>;
  readonly segments: ReadonlyMap<string, string>;
}

/** An empty segment. */
export function newPiece(key: number): Piece {
  return { key, text: "", role: "", origin: "", trust: "" };
}

/** One text at one stage. */
export function askedOf(text: string, stage: Stage = Stage.INPUT): Asked {
  return { stage, pieces: [{ ...newPiece(1), text }], json: undefined };
}

/** Whether there is nothing to judge yet. */
export function isBlank({ pieces, json }: Asked): boolean {
  return json === undefined ? pieces.every(({ text }) => text === "") : json.trim() === "";
}

/** The request, or why it is none. */
export function prepare({ stage, pieces, json }: Asked): PreparedRequest | { readonly fault: string } {
  if (json !== undefined) return prepareJson(json, stage);
  const [only] = pieces;
  const segments = new Map(pieces.map(({ text }, index) => [`s${index + 1}`, text]));
  if (pieces.length === 1 && only !== undefined && isPlain(only))
    return { stage, segments, request: { text: only.text } };
  const request = { segments: pieces.map((piece, index) => ({ id: `s${index + 1}`, ...segmentOf(piece) })) };
  return { stage, segments, request };
}

/** A test that says what came out; undefined for a request that is no plain text or segments. */
export function testOf({ stage, pieces, json }: Asked, outcome: string): Entry | undefined {
  const [only] = pieces;
  if (json !== undefined || only === undefined) return undefined;
  const asked =
    pieces.length === 1 && isPlain(only)
      ? { text: only.text }
      : {
          segments: pieces.map(({ text, role, origin, trust }) => ({
            ...Object.fromEntries(Object.entries({ role, origin, trust }).filter(([, value]) => value !== "")),
            text,
          })),
        };
  const name = texts.testName(
    beginningOf(
      pieces
        .map(({ text }) => text)
        .join(" ")
        .replace(/\s+/g, " "),
      shownOfText,
    ),
    outcome,
  );
  return { name, stage: stageName(stage), ...asked, expect: { outcome } };
}

function isPlain({ role, origin, trust }: Piece): boolean {
  return role === "" && origin === "" && trust === "";
}

function segmentOf({ text, role, origin, trust }: Piece) {
  return {
    text,
    ...(role === "" ? {} : { role }),
    ...(origin === "" ? {} : { origin }),
    trust: trusts[trust] ?? Trust.UNSPECIFIED,
  };
}

function prepareJson(json: string, stage: Stage): PreparedRequest | { readonly fault: string } {
  try {
    const value = JSON.parse(json) as JsonValue; // JSON.parse answers any
    if (typeof value !== "object" || value === null || Array.isArray(value)) return { fault: texts.noJson };
    const request = fromWireJson(EvaluateRequestSchema, value);
    const written = request.segments.map(({ id, text }, index) => [id ?? `s${index + 1}`, text] as const);
    const segments = new Map(request.text === undefined ? written : [["s1", request.text]]);
    return { stage: request.stage === Stage.UNSPECIFIED ? stage : request.stage, request, segments };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : texts.noJson };
  }
}

/** What tests say that no single request does. */
const beyondRequests = ["stream", "turns", "languages", "env", "at", "lists"] as const;

/** What a test of a document asks, by its name; undefined when it is more than one request, or about more than it. */
export function askedOfTest(document: unknown, name: string): Asked | undefined {
  const tests = membersOf(document).tests;
  const test = Array.isArray(tests) ? tests.map(membersOf).find((each) => each.name === name) : undefined;
  if (test === undefined || beyondRequests.some((each) => test[each] !== undefined)) return undefined;
  const { name: _, expect: __, stage: written, agent, ...request } = test;
  const stage = stages.find((each) => stageName(each) === written) ?? Stage.INPUT;
  const isText = agent === undefined && Object.keys(request).length === 1;
  if (isText && typeof request.text === "string") return askedOf(request.text, stage);
  const asked = { ...request, ...(agent === undefined ? {} : { agent_id: agent }) };
  return { ...askedOf("", stage), json: JSON.stringify(asked, null, 2) };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
