// One call on its way in and out: over HTTP/1.1 by a request and its response, over HTTP/2 by the stream as it is,
// which costs less.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { constants } from "node:http2";
import type { Readable } from "node:stream";
import type { RawStream } from "../../src/kit/net/http2-server.ts";
import { isGone, type RestHandler, type RestRequest, type RestResponse } from "../http/http.ts";
import { holdBody } from "../rest/body.ts";
import { maxFastBytes } from "./call.ts";

/** A whole answer. */
export interface FastResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Uint8Array | undefined;
  /** Raw HTTP/2 streams only. */
  readonly trailers?: Readonly<Record<string, string>>;
}

/** A call whose headers have come. */
export interface FastExchange {
  /** Whether the call has a raw HTTP/2 stream, and so trailers. */
  readonly hasTrailers: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
  /** Whether nobody waits for the answer any more. */
  isGone(): boolean;
  /**
   * Reads the body up to the limit of fast calls. Of a larger one it passes on the beginning; the rest is still to
   * come.
   */
  read(done: (bytes: Buffer, isWhole: boolean) => void): void;
  send(answer: FastResponse): void;
  /** Leaves the call to the ordinary handler, together with the bytes that were read of its body. */
  handOver(bytes: Buffer, isWhole: boolean): void;
  destroy(): void;
}

/** A call with a request and a response of Node's. */
export class RequestExchange implements FastExchange {
  readonly hasTrailers = false;
  readonly headers: IncomingHttpHeaders;
  readonly #request: RestRequest;
  readonly #response: RestResponse;
  readonly #ordinary: RestHandler;

  constructor(request: RestRequest, response: RestResponse, ordinary: RestHandler) {
    this.headers = request.headers;
    this.#request = request;
    this.#response = response;
    this.#ordinary = ordinary;
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket?.remoteAddress;
  }

  isGone(): boolean {
    return isGone(this.#response);
  }

  read(done: (bytes: Buffer, isWhole: boolean) => void): void {
    readWhole(this.#request, done);
  }

  send({ status, headers, body }: FastResponse): void {
    this.#response.writeHead(status, headers);
    if (body === undefined) this.#response.end();
    else this.#response.end(body);
  }

  handOver(bytes: Buffer, isWhole: boolean): void {
    replay(this.#request, bytes, isWhole);
    this.#ordinary(this.#request, this.#response);
  }

  destroy(): void {
    this.#response.destroy();
  }
}

/** A call with a raw stream of HTTP/2. */
export class StreamExchange implements FastExchange {
  readonly hasTrailers = true;
  readonly headers: IncomingHttpHeaders;
  readonly #raw: RawStream;
  readonly #ordinary: RestHandler;

  constructor(raw: RawStream, ordinary: RestHandler) {
    this.headers = raw.headers;
    this.#raw = raw;
    this.#ordinary = ordinary;
  }

  get remoteAddress(): string | undefined {
    return this.#raw.stream.session?.socket.remoteAddress;
  }

  isGone(): boolean {
    return this.#raw.stream.destroyed;
  }

  read(done: (bytes: Buffer, isWhole: boolean) => void): void {
    readWhole(this.#raw.stream, done);
  }

  send({ status, headers, body, trailers }: FastResponse): void {
    const { stream } = this.#raw;
    stream.respond({ ":status": status, ...headers }, { waitForTrailers: trailers !== undefined });
    if (trailers !== undefined) stream.once("wantTrailers", () => stream.sendTrailers(trailers));
    stream.end(body);
  }

  handOver(bytes: Buffer, isWhole: boolean): void {
    const { stream, toRequest } = this.#raw;
    toRequest((request, response) => {
      replay(request, bytes, isWhole);
      if (!isWhole) {
        // The request begins to listen to the stream when it is first read; a stream that was stopped does not go on by
        // itself.
        request.read(0);
        stream.resume();
      }
      this.#ordinary(request, response);
    });
  }

  destroy(): void {
    this.#raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}

function readWhole(source: Readable, done: (bytes: Buffer, isWhole: boolean) => void): void {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let sizeBytes = 0;
  const finish = (isWhole: boolean) =>
    done(more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more), isWhole);
  const onEnd = () => finish(true);
  const onData = (chunk: Buffer) => {
    if (first === undefined) first = chunk;
    else {
      more ??= [first];
      more.push(chunk);
    }
    sizeBytes += chunk.byteLength;
    if (sizeBytes <= maxFastBytes) return;
    source.pause();
    source.off("data", onData).off("end", onEnd);
    finish(false);
  };
  source.on("data", onData).once("end", onEnd);
  // Nobody is there to answer a body that breaks off: its connection is gone.
  source.on("error", ignore);
}

function ignore(): void {}

// Connect reads a body by its iterator, the REST handler asks for one that was read. Bodies of REST calls are always
// whole: their length was looked at before.
function replay(request: RestRequest, bytes: Buffer, isWhole: boolean): void {
  if (isWhole) holdBody(request, bytes);
  const rest = isWhole ? undefined : request[Symbol.asyncIterator]();
  async function* body(): AsyncGenerator<Buffer> {
    if (bytes.byteLength > 0) yield bytes;
    if (rest !== undefined) yield* rest;
  }
  Object.defineProperty(request, Symbol.asyncIterator, { value: body });
}
