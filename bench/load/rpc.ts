// Load over gRPC on a server in a child process, whose CPU time is counted: raw HTTP/2 and ready-made frames, so that
// what asks costs little.

import type { ChildProcess } from "node:child_process";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  EvaluateEachRequestSchema,
  EvaluateStreamRequestSchema,
  EvaluationService,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { cpuSecondsOf, type Round } from "../measure.ts";

const roundMs = 3_000;
const sessionCount = 4;
const inFlight = 8;

/** Path of the unary method. */
export const unaryPath = `/${EvaluationService.typeName}/${EvaluationService.method.evaluateInput.name}`;
/** Path of the stream in both directions. */
export const streamPath = `/${EvaluationService.typeName}/${EvaluationService.method.evaluateStream.name}`;

/** Path of the call that carries many evaluations. */
export const eachPath = `/${EvaluationService.typeName}/${EvaluationService.method.evaluateEach.name}`;

/** What is asked for, over and over. */
export interface RpcLoad {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  /** Bodies with their frames. */
  readonly bodies: readonly Buffer[];
}

/** The body of a unary call. */
export function unaryBody(text: string): Buffer {
  return framed(toBinary(EvaluateRequestSchema, create(EvaluateRequestSchema, { text, agentId: "bench" })));
}

/** The body of a stream that opens, sends all of its text and finishes. */
export function streamBody(text: string): Buffer {
  const parts = [
    create(EvaluateStreamRequestSchema, {
      part: { case: "open", value: { stage: Stage.INPUT, request: { agentId: "bench" } } },
    }),
    create(EvaluateStreamRequestSchema, { part: { case: "delta", value: text } }),
    create(EvaluateStreamRequestSchema, { part: { case: "finish", value: true } }),
  ];
  return Buffer.concat(parts.map((part) => framed(toBinary(EvaluateStreamRequestSchema, part))));
}

/** One message of a call that carries many evaluations. */
export function eachBody(text: string): Buffer {
  const request = create(EvaluateRequestSchema, { text, agentId: "bench" });
  return framed(toBinary(EvaluateEachRequestSchema, create(EvaluateEachRequestSchema, { id: "1", request })));
}

function framed(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.byteLength, 1);
  return Buffer.concat([head, bytes]);
}

/** Asks for three seconds over four connections, eight calls at a time on each. */
export async function underRpcLoad(child: ChildProcess, load: RpcLoad): Promise<Round> {
  const sessions = Array.from({ length: sessionCount }, () => connect(`http://127.0.0.1:${load.port}`));
  const pid = child.pid ?? 0;
  const cpuBefore = cpuSecondsOf(pid);
  const startedAtMs = performance.now();
  const untilMs = startedAtMs + roundMs;
  let operations = 0;
  const caller = async (session: ClientHttp2Session) => {
    while (performance.now() < untilMs) {
      await call(session, load, load.bodies[operations % load.bodies.length] ?? Buffer.alloc(0));
      operations++;
    }
  };
  await Promise.all(sessions.flatMap((session) => Array.from({ length: inFlight }, () => caller(session))));
  const seconds = (performance.now() - startedAtMs) / 1000;
  const cpuSeconds = cpuSecondsOf(pid) - cpuBefore;
  for (const session of sessions) session.close();
  return { operations, seconds, cpuSeconds };
}

/**
 * Asks for three seconds by one call on each of four connections, eight evaluations at a time on each, as callers do
 * who share a call between many conversations.
 */
export async function underEachLoad(child: ChildProcess, { port, path, token, bodies }: RpcLoad): Promise<Round> {
  const sessions = Array.from({ length: sessionCount }, () => connect(`http://127.0.0.1:${port}`));
  const pid = child.pid ?? 0;
  const cpuBefore = cpuSecondsOf(pid);
  const startedAtMs = performance.now();
  // Each begins elsewhere, so that they do not ask the same at the same time.
  const partOf = (index: number) => rotated(bodies, Math.floor((index * bodies.length) / sessionCount));
  const counts = await Promise.all(
    sessions.map((session, index) => callEach(session, { port, path, token, bodies: partOf(index) })),
  );
  const seconds = (performance.now() - startedAtMs) / 1000;
  const cpuSeconds = cpuSecondsOf(pid) - cpuBefore;
  for (const session of sessions) session.close();
  return { operations: counts.reduce((sum, count) => sum + count, 0), seconds, cpuSeconds };
}

function rotated<T>(list: readonly T[], by: number): T[] {
  return [...list.slice(by), ...list.slice(0, by)];
}

function callEach(session: ClientHttp2Session, { path, token, bodies }: RpcLoad): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = open(session, path, token);
    const untilMs = performance.now() + roundMs;
    let sent = 0;
    let answered = 0;
    const ask = (count: number) => {
      const next = Array.from({ length: count }, () => bodies[sent++ % bodies.length] ?? Buffer.alloc(0));
      stream.write(Buffer.concat(next));
    };
    const answers = new FrameCount((bytes) => {
      // An error has the third field of the answer, behind its id.
      if (bytes[3] !== eachResponseTag) reject(new Error("an evaluation was refused"));
      answered++;
    });
    let status: unknown;
    stream.on("trailers", (trailers) => {
      status = trailers["grpc-status"];
    });
    stream.on("data", (chunk: Buffer) => {
      const before = answered;
      answers.add(chunk);
      if (performance.now() < untilMs) ask(answered - before);
      else if (answered === sent) stream.end();
    });
    stream.on("error", reject);
    stream.on("end", () =>
      status === "0" && answered === sent
        ? resolve(answered)
        : reject(new Error(`a call ended with the status ${status} after ${answered} of ${sent} answers`)),
    );
    ask(inFlight);
  });
}

/** Tag of `response` in EvaluateEachResponse. */
const eachResponseTag = 2 * 8 + 2;

/** Cuts what comes into messages. */
class FrameCount {
  readonly #found: (message: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(found: (message: Buffer) => void) {
    this.#found = found;
  }

  add(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (at + 5 <= bytes.length && at + 5 + bytes.readUInt32BE(at + 1) <= bytes.length) {
      const end = at + 5 + bytes.readUInt32BE(at + 1);
      this.#found(bytes.subarray(at + 5, end));
      at = end;
    }
    this.#rest = bytes.subarray(at);
  }
}

function open(session: ClientHttp2Session, path: string, token: string): ClientHttp2Stream {
  return session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc+proto",
    te: "trailers",
    authorization: `Bearer ${token}`,
  });
}

function call(session: ClientHttp2Session, { path, token }: RpcLoad, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = open(session, path, token);
    let status: unknown;
    stream.on("response", (headers) => {
      status = headers["grpc-status"];
    });
    stream.on("trailers", (trailers) => {
      status = trailers["grpc-status"];
    });
    stream.on("data", () => undefined);
    stream.on("error", reject);
    stream.on("end", () => (status === "0" ? resolve() : reject(new Error(`a call ended with the status ${status}`))));
    stream.end(body);
  });
}
