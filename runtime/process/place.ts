// The place of a process among its siblings. The parent tells it by one environment variable, which nobody else sets.

import { join } from "node:path";

/** Which of several processes this one is. */
export interface Place {
  readonly index: number;
  readonly count: number;
  /** Folder of the sockets by which siblings reach each other. */
  readonly folder: string;
}

/** The variable by which a parent tells a child its place. */
export const placeVariable = "RUNTIME_PROCESS_PLACE";

/** The place that the parent told; undefined for a process that has none. */
export function readPlace(env: Readonly<Record<string, string | undefined>>): Place | undefined {
  const text = env[placeVariable];
  return text === undefined ? undefined : JSON.parse(text);
}

/** The process that a session belongs to: FNV-1a of its id, modulo their count. */
export function ownerOf(sessionId: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < sessionId.length; i++) hash = Math.imul(hash ^ sessionId.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % count;
}

/** The socket of a process. */
export function socketOf({ folder }: Place, index: number): string {
  return join(folder, `${index}.sock`);
}
