// Node puts no time limits on HTTP/2 sessions. This guards them: a session has to begin in time, silence is answered
// with GOAWAY or, while streams are open, with a PING that has to come back. A stream that is merely quiet lives on,
// for as long as its peer does.

import { constants, type ServerHttp2Session } from "node:http2";
import type { Http2Limits } from "./limits.ts";

/** Enforces the time limits of a new session until it closes. */
export function guardSession(session: ServerHttp2Session, limits: Http2Limits): void {
  let hasSettings = false;
  let openStreams = 0;

  // A peer that sent its SETTINGS and then nothing is told by GOAWAY, so that it knows to connect anew. One that sent
  // nothing is no peer.
  const opening = setTimeout(() => (hasSettings ? session.close() : session.destroy()), limits.openingTimeoutMs);
  session.once("remoteSettings", () => {
    hasSettings = true;
  });
  session.on("stream", (stream) => {
    clearTimeout(opening);
    openStreams++;
    stream.once("close", () => {
      openStreams--;
    });
  });
  session.setTimeout(limits.idleTimeoutMs);
  session.on("timeout", () => {
    if (session.closed || session.destroyed) return;
    if (openStreams === 0) session.close();
    else probe(session, limits);
  });
  session.once("close", () => clearTimeout(opening));
}

function probe(session: ServerHttp2Session, { idleTimeoutMs, pingTimeoutMs }: Http2Limits): void {
  const timer = setTimeout(() => session.destroy(undefined, constants.NGHTTP2_CANCEL), pingTimeoutMs);
  const stop = () => clearTimeout(timer);
  session.once("close", stop);
  // When it cannot even be sent, the timer ends the session.
  session.ping((error) => {
    if (error !== null || session.destroyed) return;
    stop();
    session.off("close", stop);
    session.setTimeout(idleTimeoutMs); // an answered PING does not start Node's idle timer anew
  });
}
