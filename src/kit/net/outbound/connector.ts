// Opens connections for undici: asks the guard, then dials exactly the addresses that it checked. undici's own hook for
// look-ups is not enough: it is not called for IP literals, which would then be dialled unchecked.

import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { buildConnector } from "undici";
import { Fault } from "../../fault/fault.ts";
import { OutboundError } from "./error.ts";
import type { CheckedTarget, NetworkGuard } from "./guard.ts";

/** A connector for this origin only. */
export function createConnector(
  guard: NetworkGuard,
  { origin, connectTimeoutMs }: { readonly origin: string; readonly connectTimeoutMs: number },
): buildConnector.connector {
  return (_, callback) => {
    open(guard, origin, connectTimeoutMs).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

async function open(guard: NetworkGuard, origin: string, connectTimeoutMs: number): Promise<Socket> {
  const target = await check(guard, origin);
  const signal = AbortSignal.timeout(connectTimeoutMs);
  const socket = await dialAny(target, signal);
  socket.setNoDelay(true);
  return target.url.protocol === "https:" ? await secure(socket, target.url, signal) : socket;
}

async function check(guard: NetworkGuard, origin: string): Promise<CheckedTarget> {
  try {
    return await guard.check(origin);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new OutboundError("address_refused", error.message, { cause: error });
  }
}

/** Dials the addresses one after the other until one answers. */
async function dialAny({ url, addresses }: CheckedTarget, signal: AbortSignal): Promise<Socket> {
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  let last: unknown;
  for (const host of addresses) {
    try {
      return await established(connectTcp({ host, port }), "connect", signal);
    } catch (error) {
      last = error;
      if (signal.aborted) break;
    }
  }
  if (signal.aborted) throw new OutboundError("connect_timeout", `${url.host} did not accept a connection in time`);
  throw new OutboundError("connect_failed", `${url.host} did not accept a connection (${codeOf(last)})`, {
    cause: last,
  });
}

async function secure(socket: Socket, { hostname, host }: URL, signal: AbortSignal): Promise<Socket> {
  const name = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  // The TLS socket reports what happens to the one under it; that one's own event must not end the process.
  socket.on("error", () => {});
  const tls = connectTls({
    socket,
    // The certificate must be for the name in the URL; addresses are not sent as a server name (RFC 6066 section 3).
    host: name,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    // Explicit, since NODE_TLS_REJECT_UNAUTHORIZED would change the default.
    rejectUnauthorized: true,
  });
  try {
    return await established(tls, "secureConnect", signal);
  } catch (cause) {
    if (signal.aborted) throw new OutboundError("connect_timeout", `${host} did not finish the TLS handshake in time`);
    throw new OutboundError("tls_failed", `${host} failed the TLS handshake (${codeOf(cause)})`, { cause });
  }
}

/** The socket once it is connected; destroyed when it fails or takes too long. */
function established<T extends Socket>(socket: T, event: "connect" | "secureConnect", signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      settle();
      // A destroyed socket may still emit an error, which nobody would handle.
      socket.on("error", () => {});
      socket.destroy();
      reject(error);
    };
    const abort = () => fail(signal.reason);
    const close = () => fail(new Error("the connection was closed"));
    const succeed = () => {
      settle();
      resolve(socket);
    };
    const settle = () => {
      socket.off("error", fail).off("close", close).off(event, succeed);
      signal.removeEventListener("abort", abort);
    };
    socket.once("error", fail).once("close", close).once(event, succeed);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "closed";
}
