// Calls over HTTP/2 as they stand on the wire, with nothing between them and the test.

import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";

/** An answer as it came. */
export interface Http2Answer {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One connection to each address. */
export class Http2Sessions {
  readonly #sessions = new Map<string, ClientHttp2Session>();

  /** The connection to an address, opened when there is none. */
  to(url: string): ClientHttp2Session {
    const known = this.#sessions.get(url);
    // One that was idle for long has ended.
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = connect(url);
    this.#sessions.set(url, session);
    return session;
  }

  /** Closes all of them. */
  close(): void {
    for (const session of this.#sessions.values()) session.close();
  }
}

/** What a caller does with the stream of its call: it writes the request, and ends it. */
export type Http2Talk = (stream: ClientHttp2Stream) => void | Promise<void>;

/** Makes a POST, and resolves when the answer has ended. */
export function callHttp2(
  session: ClientHttp2Session,
  { path, headers }: { readonly path: string; readonly headers: IncomingHttpHeaders },
  talk: Http2Talk,
): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":method": "POST", ":path": path, ...headers });
    const answer = { headers: {}, trailers: {} };
    const chunks: Buffer[] = [];
    stream.on("response", (given) => Object.assign(answer.headers, given));
    stream.on("trailers", (given) => Object.assign(answer.trailers, given));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve({ ...answer, body: Buffer.concat(chunks) }));
    stream.on("error", reject);
    Promise.resolve(talk(stream)).catch(reject);
  });
}
