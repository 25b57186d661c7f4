// Which connections a listener holds, and whether it takes one more.

import type { Socket } from "node:net";
import { canonicalAddress, peerGroup } from "./address.ts";
import type { Limits } from "./limits.ts";

/** The open connections of a listener. */
export interface Admission {
  /** Admits the connection until it closes; false when a limit is reached. */
  admit(socket: Socket): boolean;
  /** Connections open now. */
  count(): number;
  /** Resolves when the last connection has closed. */
  emptied(): Promise<void>;
  /** Cuts every connection off; returns how many there were. */
  destroyAll(): number;
}

/** Counts connections, in all and by peer. */
export function createAdmission(limits: Pick<Limits, "maxConnections" | "maxConnectionsPerPeer">): Admission {
  const sockets = new Set<Socket>();
  const countByPeer = new Map<string, number>();
  let onEmpty: (() => void)[] = [];

  const leave = (socket: Socket, peer: string) => {
    sockets.delete(socket);
    const left = (countByPeer.get(peer) ?? 1) - 1;
    if (left > 0) countByPeer.set(peer, left);
    else countByPeer.delete(peer);
    if (sockets.size > 0) return;
    for (const resolve of onEmpty) resolve();
    onEmpty = [];
  };

  return {
    admit(socket) {
      const peer = peerGroup(canonicalAddress(socket.remoteAddress ?? "") ?? "");
      const ofPeer = countByPeer.get(peer) ?? 0;
      if (sockets.size >= limits.maxConnections || ofPeer >= limits.maxConnectionsPerPeer) return false;
      sockets.add(socket);
      countByPeer.set(peer, ofPeer + 1);
      socket.once("close", () => leave(socket, peer));
      return true;
    },
    count: () => sockets.size,
    emptied: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => onEmpty.push(resolve))),
    destroyAll() {
      const { size } = sockets;
      for (const socket of sockets) socket.destroy();
      return size;
    },
  };
}
