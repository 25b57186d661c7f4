// How processes of one runtime reach each other's sessions: by HTTP over a Unix socket in a folder that only their user may enter.
// A sibling that is away is being started again; it has forgotten its sessions, so nobody waits for it.

import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  type EvaluateResponse,
  EvaluateResponseSchema,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  type RestorePlaceholdersRequest,
  RestorePlaceholdersRequestSchema,
  type RestorePlaceholdersResponse,
  RestorePlaceholdersResponseSchema,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { Fault } from "../../src/kit/error.ts";
import type { Logger } from "../../src/kit/log.ts";
import { stages } from "../engine/wire.ts";
import type { Moment } from "../evaluator.ts";
import { ownerOf, type Place, socketOf } from "./place.ts";

/** What a process does for its siblings. */
export interface SiblingWork {
  readonly evaluate: (request: EvaluateRequest, moment: Moment) => EvaluateResponse | Promise<EvaluateResponse>;
  readonly restore: (request: RestorePlaceholdersRequest) => RestorePlaceholdersResponse;
}

const maxBytes = 16 * 1024 * 1024;

/** The other processes, by the sessions that belong to them. */
export class Siblings {
  readonly #place: Place;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(place: Place) {
    this.#place = place;
  }

  /** Whether a session belongs to another process. */
  keep(sessionId: string | undefined): boolean {
    if (sessionId === undefined) return false;
    const { index, count } = this.#place;
    return ownerOf(sessionId, count) !== index;
  }

  /** The answer of the process that the session belongs to; undefined when that one is away. */
  async evaluate(request: EvaluateRequest, sessionId: string, moment: Moment): Promise<EvaluateResponse | undefined> {
    const body = toBinary(EvaluateRequestSchema, request);
    const answer = await this.#send(sessionId, `/evaluate/${moment}`, body);
    return answer && fromBinary(EvaluateResponseSchema, answer);
  }

  /** The same for originals. */
  async restore(request: RestorePlaceholdersRequest): Promise<RestorePlaceholdersResponse | undefined> {
    const body = toBinary(RestorePlaceholdersRequestSchema, request);
    const answer = await this.#send(request.sessionId, "/restore", body);
    return answer && fromBinary(RestorePlaceholdersResponseSchema, answer);
  }

  #send(sessionId: string, path: string, body: Uint8Array): Promise<Uint8Array | undefined> {
    const socketPath = socketOf(this.#place, ownerOf(sessionId, this.#place.count));
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
    const headers = { "content-length": body.byteLength };
    const call = httpRequest({ socketPath, path, method: "POST", agent: this.#agent, headers }, (response) => {
      readAll(response).then((bytes) => {
        if (response.statusCode === 200) return resolve(bytes);
        const { reason, message, extra } = JSON.parse(bytes.toString("utf8"));
        reject(new Fault(reason, message, { extra }));
      }, reject);
    });
    // It was killed, with the call or before it.
    call.on("error", () => resolve(undefined));
    call.end(body);
    return promise;
  }
}

/** Serves siblings; the caller closes it. */
export async function serveSiblings(
  place: Place,
  work: SiblingWork,
  log: Logger,
): Promise<{ readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    serveOne(request, response, work).catch((error: unknown) => refuse(response, error, log));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(socketOf(place, place.index), resolve);
  });
  return {
    close: () => {
      server.closeIdleConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function serveOne(request: IncomingMessage, response: ServerResponse, work: SiblingWork): Promise<void> {
  const bytes = await readAll(request);
  const [, what, moment = ""] = request.url?.split("/") ?? [];
  const answer =
    what === "restore"
      ? toBinary(RestorePlaceholdersResponseSchema, work.restore(fromBinary(RestorePlaceholdersRequestSchema, bytes)))
      : toBinary(
          EvaluateResponseSchema,
          await work.evaluate(fromBinary(EvaluateRequestSchema, bytes), momentOf(moment)),
        );
  response.writeHead(200, { "content-length": answer.byteLength }).end(answer);
}

function momentOf(text: string): Moment {
  if (text === "transcript") return text;
  const stage = Object.values(stages).find((each) => String(each) === text);
  if (stage === undefined) throw new Error(`a sibling asks for the stage ${text}`);
  return stage;
}

function refuse(response: ServerResponse, error: unknown, log: Logger): void {
  if (!(error instanceof Fault)) log.error({ err: error }, "internal error for a sibling");
  const fault = error instanceof Fault ? error : new Fault(Reason.INTERNAL, "internal error");
  const { reason, message, extra } = fault;
  response.writeHead(500).end(JSON.stringify({ reason, message, extra }));
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new Error("a sibling's message is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
