// The input of an evaluation: a text, or a request as an application would send it.

import { create, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { type EvaluateRequest, EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { TrustSchema } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type StageName, stageNames } from "../../runtime/engine/policy/document.ts";
import { stages } from "../../runtime/engine/policy/enum-names.ts";
import { stageOfTranscript } from "../../runtime/engine/segment/segment.ts";
import type { Options, Surroundings, Values } from "./command.ts";
import { usageFailure } from "./failure.ts";
import { decode, readBytes, readJson, readStream } from "./file.ts";

/** Options for the input of an evaluation. */
export const requestOptions = {
  text: { type: "string", short: "t", value: "TEXT", help: "The text." },
  file: { type: "string", short: "f", value: "FILE", help: "A file with the text." },
  request: {
    type: "string",
    short: "r",
    value: "FILE",
    help: "A file with a request as JSON, in the form of the evaluate endpoints.",
  },
  stage: {
    type: "string",
    value: "STAGE",
    choices: stageNames,
    help: "The stage of the turn; default: input, or tool_call for calls.",
  },
  agent: { type: "string", value: "KEY", help: "The agent that makes the request; default: none." },
  env: { type: "string", value: "NAME", help: "The environment; default: the first that a policy names, else test." },
} as const satisfies Options;

/** A request and where it is made. */
export interface Subject {
  readonly request: EvaluateRequest;
  /** Of a transcript, that of its last turn. */
  readonly stage: StageName;
}

// As in the evaluate endpoints of a runtime.
const maxTextBytes = 1_048_576;
const maxRequestBytes = 8 * 1024 * 1024;

/** The request that the options describe. */
export async function readSubject(values: Values<typeof requestOptions>, world: Surroundings): Promise<Subject> {
  const { text, file, request: path, stage, agent } = values;
  if ([text, file, path].filter((value) => value !== undefined).length > 1) {
    throw usageFailure("--text, --file and --request exclude each other");
  }
  const request =
    path === undefined
      ? create(EvaluateRequestSchema, { text: text ?? (await readText(file, world)) })
      : requestOf(path, readJson(path, maxRequestBytes));
  if (agent !== undefined) request.agentId = agent;
  if (request.transcript && stage !== undefined) {
    throw usageFailure(
      "--stage and a transcript exclude each other",
      "Each turn of a transcript has a stage of its own.",
    );
  }
  // The parser of arguments has checked it against the stages.
  return subjectOf(request, stage as StageName | undefined);
}

/** A request with its stage. Default: the one that follows from the request. */
export function subjectOf(request: EvaluateRequest, stage: StageName | undefined): Subject {
  return { request, stage: stage ?? ownStage(request) };
}

function ownStage(request: EvaluateRequest): StageName {
  if (request.transcript) {
    const last = stageOfTranscript(request);
    return stageNames.find((name) => stages[name] === last) ?? "input";
  }
  return isOnlyCalls(request) ? "tool_call" : "input";
}

async function readText(file: string | undefined, { stdin }: Surroundings): Promise<string> {
  if (file !== undefined) return decode(readBytes(file, maxTextBytes), file);
  if (stdin.isTTY)
    throw usageFailure("there is nothing to evaluate", "Give --text, --file or --request, or pipe a text in.");
  return readStream(stdin, maxTextBytes);
}

function isOnlyCalls({ text, messages, segments, toolCalls }: EvaluateRequest): boolean {
  return toolCalls.length > 0 && text === undefined && messages.length === 0 && segments.length === 0;
}

/** The request of a JSON object. `path` says where it is from. */
export function requestOf(path: string, json: JsonValue): EvaluateRequest {
  if (!isObject(json)) throw usageFailure(`${path}: a request is a JSON object`);
  // This command decides by itself how to answer.
  const { options: _, ...request } = json;
  if (Array.isArray(request.segments)) request.segments = request.segments.map(withProtoTrust);
  try {
    return fromJson(EvaluateRequestSchema, request);
  } catch (error) {
    throw usageFailure(`${path}: this is not a request: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The trust of a segment as Protobuf's own JSON spells it. */
function withProtoTrust(segment: JsonValue): JsonValue {
  if (!isObject(segment) || typeof segment.trust !== "string") return segment;
  const name = `TRUST_${segment.trust.toUpperCase()}`;
  return TrustSchema.values.some((value) => value.name === name) ? { ...segment, trust: name } : segment;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
