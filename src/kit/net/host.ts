// The hosts that a process listens on, and the host by which the same machine reaches it.

import { isIP } from "node:net";
import { addressKind } from "./outbound/address.ts";

/** Whether only this machine can reach a listener on this host. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || addressKind(host) === "loopback";
}

/** The host for a URL by which this machine reaches a listener on this host. */
export function hostToCall(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIP(host) === 6 ? `[${host}]` : host;
}
