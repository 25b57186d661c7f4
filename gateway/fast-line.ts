// One call on its way in and out: over HTTP/1.1 by a request and its response, over HTTP/2 by the stream as it is, which costs less.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { constants } from "node:http2";
import type { Readable } from "node:stream";
import type { RawStream } from "../src/kit/http2-server.ts";
import { maxFastBytes } from "./fast-call.ts";
import { isGone, type RestHandler, type RestRequest, type RestResponse } from "./http.ts";

/** What is sent. */
export interface LineAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array | undefined;
  /** HTTP/2 only. */
  readonly trailers?: Readonly<Record<string, string>>;
}

/** A call whose headers have come. */
export interface FastLine {
  readonly isHttp2: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
  /** Whether nobody waits for the answer any more. */
  isGone(): boolean;
  /** Reads the body up to the limit of fast calls; a larger one is handed over as it is, with the rest still to come. */
  read(done: (bytes: Buffer, isWhole: boolean) => void): void;
  send(answer: LineAnswer): void;
  /** Leaves the call to the ordinary handler, whatever was read of it. */
  handOver(bytes: Buffer, isWhole: boolean): void;
  destroy(): void;
}

/** A call over HTTP/1.1. */
export function requestLine(request: RestRequest, response: RestResponse, ordinary: RestHandler): FastLine {
  return {
    isHttp2: false,
    headers: request.headers,
    remoteAddress: request.socket?.remoteAddress,
    isGone: () => isGone(response),
    read: (done) => readWhole(request, done),
    send({ status, headers, body }) {
      response.writeHead(status, headers);
      if (body === undefined) response.end();
      else response.end(body);
    },
    handOver(bytes, isWhole) {
      replay(request, bytes, isWhole);
      ordinary(request, response);
    },
    destroy: () => void response.destroy(),
  };
}

/** A call over HTTP/2. */
export function streamLine({ stream, headers, toRequest }: RawStream, ordinary: RestHandler): FastLine {
  return {
    isHttp2: true,
    headers,
    get remoteAddress() {
      return stream.session?.socket.remoteAddress;
    },
    isGone: () => stream.destroyed,
    read: (done) => readWhole(stream, done),
    send({ status, headers: own, body, trailers }) {
      stream.respond({ ":status": status, ...own }, { waitForTrailers: trailers !== undefined });
      if (trailers !== undefined) stream.once("wantTrailers", () => stream.sendTrailers(trailers));
      stream.end(body);
    },
    handOver: (bytes, isWhole) =>
      toRequest((request, response) => {
        replay(request, bytes, isWhole);
        if (!isWhole) {
          // The request begins to listen to the stream when it is first read; a stream that was stopped does not go on by itself.
          request.read(0);
          stream.resume();
        }
        ordinary(request, response);
      }),
    destroy: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
  };
}

function readWhole(source: Readable, done: (bytes: Buffer, isWhole: boolean) => void): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const finish = (isWhole: boolean) => {
    source.off("data", onData).off("end", onEnd);
    done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks), isWhole);
  };
  const onEnd = () => finish(true);
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
    if (sizeBytes <= maxFastBytes) return;
    source.pause();
    finish(false);
  };
  source.on("data", onData).once("end", onEnd);
  // One that breaks off is answered by nobody: its connection is gone.
  source.on("error", ignore);
}

function ignore(): void {}

// Connect reads a body by its iterator.
function replay(request: RestRequest, bytes: Buffer, isWhole: boolean): void {
  const rest = isWhole ? undefined : request[Symbol.asyncIterator]();
  async function* body(): AsyncGenerator<Buffer> {
    if (bytes.byteLength > 0) yield bytes;
    if (rest !== undefined) yield* rest;
  }
  Object.defineProperty(request, Symbol.asyncIterator, { value: body });
}
