// The processes of one runtime reach each other's sessions by HTTP over a Unix socket, in a folder that only their user
// may enter. A peer that does not answer is being restarted and has lost its sessions, so nobody waits for it.

import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  type EvaluateResponse,
  EvaluateResponseSchema,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  type FinishStreamRequest,
  FinishStreamRequestSchema,
  type FinishStreamResponse,
  FinishStreamResponseSchema,
  type OpenStreamRequest,
  OpenStreamRequestSchema,
  type OpenStreamResponse,
  OpenStreamResponseSchema,
  type PushStreamChunkRequest,
  PushStreamChunkRequestSchema,
  type PushStreamChunkResponse,
  PushStreamChunkResponseSchema,
  type RestorePlaceholdersRequest,
  RestorePlaceholdersRequestSchema,
  type RestorePlaceholdersResponse,
  RestorePlaceholdersResponseSchema,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { Fault } from "../../src/kit/fault/fault.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { withoutHalves } from "../../src/kit/protobuf/surrogate.ts";
import { stages } from "../engine/policy/enum-names.ts";
import type { EvaluationKind } from "../request/request-checks.ts";
import type { PeerWork, StreamCalls } from "./peer.ts";
import { ownerOf, socketOf, type WorkerSlot } from "./worker-slot.ts";

const maxBytes = 16 * 1024 * 1024;
/** Who opened a stream; others do not know it. */
const callerHeader = "x-caller";

function away(): never {
  throw new Fault(Reason.UNAVAILABLE, "the process that kept the stream is not available; the stream is lost with it");
}

function cancelled(streamId: string): FinishStreamRequest {
  return create(FinishStreamRequestSchema, { streamId });
}

/** The other processes, by the sessions that belong to them. */
export class Peers {
  readonly slot: WorkerSlot;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(slot: WorkerSlot) {
    this.slot = slot;
  }

  /** Whether a session belongs to another process. */
  keep(sessionId: string | undefined): boolean {
    if (sessionId === undefined) return false;
    const { index, count } = this.slot;
    return ownerOf(sessionId, count) !== index;
  }

  /** The answer of the process that the session belongs to; undefined when that one is away. */
  async evaluate(
    request: EvaluateRequest,
    sessionId: string,
    kind: EvaluationKind,
  ): Promise<EvaluateResponse | undefined> {
    const body = toBinary(EvaluateRequestSchema, request);
    const answer = await this.#send(this.#ownerOf(sessionId), `/evaluate/${kind}`, body);
    return answer && fromBinary(EvaluateResponseSchema, answer);
  }

  /** The same for originals. */
  async restore(request: RestorePlaceholdersRequest): Promise<RestorePlaceholdersResponse | undefined> {
    const body = toBinary(RestorePlaceholdersRequestSchema, request);
    const answer = await this.#send(this.#ownerOf(request.sessionId), "/restore", body);
    return answer && fromBinary(RestorePlaceholdersResponseSchema, answer);
  }

  /** Opens a stream where its session is kept; undefined when that process is away. */
  async openStream(
    request: OpenStreamRequest,
    sessionId: string,
    caller: string,
  ): Promise<OpenStreamResponse | undefined> {
    const body = toBinary(OpenStreamRequestSchema, request);
    const answer = await this.#send(this.#ownerOf(sessionId), "/stream/open", body, caller);
    return answer && fromBinary(OpenStreamResponseSchema, answer);
  }

  /** Pushes to a stream of another process. Throws `unavailable` when that one is away. */
  async pushStream(request: PushStreamChunkRequest, index: number, caller: string): Promise<PushStreamChunkResponse> {
    // A string of protobuf cannot hold half of a surrogate pair; the halves travel in the path.
    const { before, whole, after } = withoutHalves(request.delta);
    const path = `/stream/push/${encodeURIComponent(JSON.stringify([before, after]))}`;
    const body = toBinary(PushStreamChunkRequestSchema, { ...request, delta: whole });
    const answer = await this.#send(index, path, body, caller);
    return fromBinary(PushStreamChunkResponseSchema, answer ?? away());
  }

  /** Finishes a stream of another process, likewise. */
  async finishStream(request: FinishStreamRequest, index: number, caller: string): Promise<FinishStreamResponse> {
    const answer = await this.#send(index, "/stream/finish", toBinary(FinishStreamRequestSchema, request), caller);
    return fromBinary(FinishStreamResponseSchema, answer ?? away());
  }

  /** Cancels a stream of another process. */
  async cancelStream(streamId: string, index: number, caller: string): Promise<void> {
    await this.#send(index, "/stream/cancel", toBinary(FinishStreamRequestSchema, cancelled(streamId)), caller);
  }

  #ownerOf(sessionId: string): number {
    return ownerOf(sessionId, this.slot.count);
  }

  /** The answer of a process; undefined when it is away. */
  #send(index: number, path: string, body: Uint8Array, caller = ""): Promise<Uint8Array | undefined> {
    const socketPath = socketOf(this.slot, index);
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
    const headers = { "content-length": body.byteLength, [callerHeader]: encodeURIComponent(caller) };
    const call = httpRequest({ socketPath, path, method: "POST", agent: this.#agent, headers }, (response) => {
      readAll(response).then((bytes) => {
        if (response.statusCode === 200) return resolve(bytes);
        const { reason, message, ...options } = JSON.parse(bytes.toString("utf8"));
        reject(new Fault(reason, message, options));
      }, reject);
    });
    // The process was killed, before or during the call.
    call.on("error", () => resolve(undefined));
    call.end(body);
    return promise;
  }
}

/** Serves peers; the caller closes it. */
export async function servePeers(
  slot: WorkerSlot,
  work: PeerWork,
  log: Logger,
): Promise<{ readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    serveOne(request, response, work).catch((error: unknown) => refuse(response, error, log));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(socketOf(slot, slot.index), resolve);
  });
  return {
    close: () => {
      server.closeIdleConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function serveOne(request: IncomingMessage, response: ServerResponse, work: PeerWork): Promise<void> {
  const bytes = await readAll(request);
  const [, what, detail = "", halves] = request.url?.split("/") ?? [];
  const caller = decodeURIComponent(String(request.headers[callerHeader] ?? ""));
  const answer = await answerTo(what, { detail, halves }, bytes, caller, work);
  response.writeHead(200, { "content-length": answer.byteLength }).end(answer);
}

async function answerTo(
  what: string | undefined,
  { detail, halves }: { readonly detail: string; readonly halves: string | undefined },
  bytes: Uint8Array,
  caller: string,
  { evaluate, restore, streams }: PeerWork,
): Promise<Uint8Array> {
  if (what === "stream") return streamAnswer({ call: detail, halves }, bytes, caller, streams);
  if (what === "restore")
    return toBinary(RestorePlaceholdersResponseSchema, restore(fromBinary(RestorePlaceholdersRequestSchema, bytes)));
  const response = await evaluate(fromBinary(EvaluateRequestSchema, bytes), kindOf(detail));
  return toBinary(EvaluateResponseSchema, response);
}

async function streamAnswer(
  { call, halves = '["",""]' }: { readonly call: string; readonly halves: string | undefined },
  bytes: Uint8Array,
  caller: string,
  streams: StreamCalls,
): Promise<Uint8Array> {
  switch (call) {
    case "open":
      return toBinary(OpenStreamResponseSchema, await streams.open(fromBinary(OpenStreamRequestSchema, bytes), caller));
    case "push": {
      const request = fromBinary(PushStreamChunkRequestSchema, bytes);
      const [before, after]: [string, string] = JSON.parse(decodeURIComponent(halves));
      const step = await streams.push({ ...request, delta: before + request.delta + after }, caller);
      return toBinary(PushStreamChunkResponseSchema, step);
    }
    case "finish": {
      const end = await streams.finish(fromBinary(FinishStreamRequestSchema, bytes), caller);
      return toBinary(FinishStreamResponseSchema, end);
    }
    case "cancel":
      await streams.cancel(fromBinary(FinishStreamRequestSchema, bytes).streamId, caller);
      return new Uint8Array();
  }
  throw new Error(`a peer asks to ${call} a stream`);
}

function kindOf(text: string): EvaluationKind {
  if (text === "transcript") return text;
  const stage = Object.values(stages).find((each) => String(each) === text);
  if (stage === undefined) throw new Error(`a peer asks for the stage ${text}`);
  return stage;
}

function refuse(response: ServerResponse, error: unknown, log: Logger): void {
  if (!(error instanceof Fault)) log.error({ err: error }, "internal error for a peer");
  const fault = error instanceof Fault ? error : new Fault(Reason.INTERNAL, "internal error");
  const { reason, message, extra, headers } = fault;
  response.writeHead(500).end(JSON.stringify({ reason, message, extra, headers }));
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new Error("the message of a peer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
