// One port for HTTP/1.1 and HTTP/2: in plain text by looking at the first bytes, with a certificate by ALPN. Either way
// a connection is admitted, then handed to one of two servers that never listen themselves; so both ways have the same
// limits.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions, type Server as TlsServer } from "node:tls";
import type { Logger } from "../observability/log.ts";
import { createAdmission } from "./admission.ts";
import { createHttp1Server } from "./http1-server.ts";
import { createHttp2Server, type StreamHandler } from "./http2-server.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { guardHandler, guardStreams, type RequestHandler } from "./request-handler.ts";
import { type Protocol, sniff } from "./sniff.ts";

/** A certificate chain and its key, in PEM. */
export interface Certificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** Where and how to listen. */
export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  readonly handler: RequestHandler;
  /** Is asked first about each stream of HTTP/2. */
  readonly takeStream?: StreamHandler | undefined;
  /** Without one the port speaks plain text. */
  readonly certificate?: Certificate;
  readonly log: Logger;
  readonly limits?: Limits;
  /** Several processes listen on the port, and the system spreads connections over them (SO_REUSEPORT). */
  readonly isShared?: boolean;
  /** Requests that name no host are answered, as the probes of some balancers are (HTTP/1.0). */
  readonly isHostOptional?: boolean;
}

/** A listening port. */
export interface Listener {
  readonly port: number;
  /** Connections open now. */
  connectionCount(): number;
  /**
   * Asks clients of HTTP/1.1 with each answer to make their next call over another connection, before `close` takes the
   * connections away: a call that is sent while its connection closes is lost.
   */
  retire(): void;
  /**
   * Stops accepting, tells every client to go elsewhere, lets requests in flight finish, and cuts off what is left
   * after the grace time. Resolves to the number of connections that were cut off.
   */
  close(options: { readonly graceMs: number }): Promise<number>;
}

/**
 * Shows which protocol a connection speaks, and gives the connection on which it does: the same one, or the decrypted
 * one.
 */
type Decide = (socket: Socket, decided: (protocol: Protocol, socket: Socket) => void) => void;

/** How long the first bytes of a connection may take that a closing listener has accepted before. */
const firstBytesMs = 250;

/** Listens, and resolves when connections are taken. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { port, host, handler, certificate, log, limits = defaultLimits, isHostOptional = false } = options;
  const admission = createAdmission(limits);
  const undecided = new Set<Socket>();
  const guarded = guardHandler(handler, log, { isHostOptional });
  const servers = {
    http1: createHttp1Server(guarded, limits.http1),
    http2: createHttp2Server(guarded, limits.http2, log, options.takeStream && guardStreams(options.takeStream, log)),
  };
  const decide = certificate === undefined ? decideBySniffing(limits) : decideByAlpn(certificate, limits);

  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", (err) => log.debug({ err }, "connection failed"));
    if (!admission.admit(socket)) return socket.destroy();
    undecided.add(socket);
    socket.once("close", () => undecided.delete(socket));
    decide(socket, (protocol, readable) => {
      undecided.delete(socket);
      servers[protocol].take(readable);
    });
  });
  await listening(server, { port, host, reusePort: options.isShared ?? false });

  return {
    port: (server.address() as AddressInfo).port, // listens on TCP, so the address is no pipe name
    connectionCount: () => admission.count(),
    retire: () => servers.http1.retire(),
    async close({ graceMs }) {
      server.close();
      for (const { drain } of Object.values(servers)) drain();
      // Whoever has just connected is about to call.
      const late = setTimeout(() => {
        for (const socket of undecided) socket.destroy();
      }, firstBytesMs);
      await withinGrace(admission.emptied(), graceMs);
      clearTimeout(late);
      const cutOff = admission.destroyAll();
      for (const { stop } of Object.values(servers)) stop();
      return cutOff;
    },
  };
}

function decideBySniffing({ sniffTimeoutMs }: Limits): Decide {
  return (socket, decided) => sniff(socket, sniffTimeoutMs, (protocol) => decided(protocol, socket));
}

function decideByAlpn({ cert, key }: Certificate, { sniffTimeoutMs }: Limits): Decide {
  const ALPNProtocols = ["h2", "http/1.1"];
  const server = tlsServer({ cert, key, ALPNProtocols, minVersion: "TLSv1.2", handshakeTimeout: sniffTimeoutMs });
  // The decrypted connection does not say of which connection it is, but it has the same other end.
  const waiting = new Map<string, (protocol: Protocol, socket: Socket) => void>();
  server.on("tlsClientError", (_, socket) => socket.destroy());
  server.on("secureConnection", (socket) => {
    waiting.get(endOf(socket))?.(socket.alpnProtocol === "h2" ? "http2" : "http1", socket);
  });
  return (socket, decided) => {
    const end = endOf(socket);
    waiting.set(end, decided);
    socket.once("close", () => waiting.delete(end));
    server.emit("connection", socket);
  };
}

// OpenSSL says what is wrong with a file, not which one it is about.
function tlsServer(options: TlsOptions): TlsServer {
  try {
    return createTlsServer(options);
  } catch (cause) {
    throw new Error("TLS_CERTIFICATE_FILE and TLS_KEY_FILE are not a certificate and its key", { cause });
  }
}

function endOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}

function listening(server: Server, at: { port: number; host: string; reusePort: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(at, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function withinGrace(done: Promise<void>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, graceMs);
    void done.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
