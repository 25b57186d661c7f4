// What runtimes and the host of models say to each other over a Unix socket: JSON in frames, each with its length in four
// bytes before it. Both are of one version, since one starts the other.

import type { Socket } from "node:net";
import type { LoadFailureCode } from "./load-failure.ts";

/** Why a question to a model has no answer. */
export type ModelFailure = "model_missing" | "model_mismatch" | "model_busy" | "model_crash" | "timeout" | "error";

/** A finding of a model in a text. */
export interface ModelFinding {
  readonly label: string;
  readonly score: number;
  /** The category that the folder gives its label. */
  readonly category?: string;
}

/** A model of the folder, as far as it got. */
export interface ModelState {
  readonly name: string;
  readonly state: "loading" | "ready" | "failed";
  /** Why it is out; undefined unless it failed. */
  readonly reason?: LoadFailureCode;
  /** SHA-256 of its files; undefined before they were read. */
  readonly digest?: string;
  /** Whether its own examples were tried. Without them a wrong tokenizer is not noticed. */
  readonly isTested: boolean;
}

/** What the host says of itself, when somebody connects and whenever it changes. */
export interface HostState {
  readonly models: readonly ModelState[];
  /** Whether all models have been tried. */
  readonly isSettled: boolean;
  /** How often a host had to be replaced. */
  readonly restarts: number;
}

/** A question. */
export interface ModelQuestion {
  readonly id: number;
  readonly model: string;
  readonly text: string;
  /** The digest that the bundle demands. */
  readonly digest?: string;
  /** When nobody waits for the answer any more, by the clock of the machine: a question may wait before it is read. */
  readonly endsAtMs: number;
}

/** The answer to a question. */
export type ModelAnswer = { readonly id: number } & (
  | { readonly findings: readonly ModelFinding[]; readonly isCut: boolean; readonly runMs: number }
  | { readonly failure: ModelFailure }
);

/** What the host sends. */
export type HostMessage = { readonly state: HostState } | { readonly answer: ModelAnswer };

const headBytes = 4;
/** A text of 1 MiB, each unit escaped. */
const maxFrameBytes = 8 * 1024 * 1024;

/** Writes one message. */
export function sendFrame(socket: Socket, message: ModelQuestion | HostMessage): void {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32BE(body.length);
  socket.cork();
  socket.write(head);
  socket.write(body);
  socket.uncork();
}

/** Calls `take` with each message that comes, and destroys the socket on anything else. */
export function onFrames<Message>(socket: Socket, take: (message: Message) => void): void {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  socket.on("data", (chunk: Buffer) => {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < headBytes) return;
    let bytes = pending.length === 1 ? chunk : Buffer.concat(pending);
    while (bytes.length >= headBytes) {
      const size = bytes.readUInt32BE();
      if (size > maxFrameBytes) return void socket.destroy();
      if (bytes.length < headBytes + size) break;
      // Both sides are ours and of one version.
      take(JSON.parse(bytes.toString("utf8", headBytes, headBytes + size)) as Message);
      bytes = bytes.subarray(headBytes + size);
    }
    pending = bytes.length === 0 ? [] : [bytes];
    pendingBytes = bytes.length;
  });
}
