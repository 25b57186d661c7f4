// The slot of a process among its peers. The primary passes it by an environment variable that nobody else sets.

import { join } from "node:path";

/** Which of several processes this one is. */
export interface WorkerSlot {
  readonly index: number;
  readonly count: number;
  /** Folder of the sockets by which peers reach each other. */
  readonly folder: string;
  /** The socket of the host of models; undefined for a runtime without models. */
  readonly modelSocket?: string | undefined;
}

/** The variable by which the primary passes the slot to a child. */
export const slotVariable = "RUNTIME_PROCESS_PLACE";

/** The slot that the primary passed; undefined in a process that is the only one. */
export function readWorkerSlot(env: Readonly<Record<string, string | undefined>>): WorkerSlot | undefined {
  const text = env[slotVariable];
  return text === undefined ? undefined : JSON.parse(text);
}

/** The process that a session belongs to: FNV-1a of its id, modulo their count. */
export function ownerOf(sessionId: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < sessionId.length; i++) hash = Math.imul(hash ^ sessionId.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % count;
}

/** The socket of a process. */
export function socketOf({ folder }: WorkerSlot, index: number): string {
  return join(folder, `${index}.sock`);
}
