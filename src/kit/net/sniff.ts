// HTTP/1.1 and HTTP/2 by prior knowledge on one port: a client that speaks HTTP/2 begins with a fixed text of 24 bytes
// (RFC 9113, section 3.4). POST, PUT and PATCH share its first byte, so the decision waits until the bytes differ from
// the text or all of it has come.

import type { Socket } from "node:net";

/** The protocol that a connection speaks. */
export type Protocol = "http1" | "http2";

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** The protocol of a connection that begins with these bytes; undefined while it can still be both. */
export function protocolOf(bytes: Buffer): Protocol | undefined {
  const length = Math.min(bytes.length, preface.length);
  if (bytes.compare(preface, 0, length, 0, length) !== 0) return "http1";
  return length === preface.length ? "http2" : undefined;
}

/**
 * Calls back with the protocol once it shows, all bytes still unread. A connection that does not show it in time is cut
 * off.
 */
export function sniff(socket: Socket, timeoutMs: number, found: (protocol: Protocol) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  const stop = () => {
    clearTimeout(timer);
    socket.off("readable", read).off("end", onEnd).off("close", stop);
  };
  const onEnd = () => socket.destroy();
  const read = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    bytes = Buffer.concat([bytes, chunk]);
    const protocol = protocolOf(bytes);
    if (protocol === undefined) return;
    stop();
    socket.unshift(bytes);
    found(protocol);
  };
  socket.on("readable", read).on("end", onEnd).on("close", stop);
}
