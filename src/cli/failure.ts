// How a command ends when it fails. Exit codes are part of the interface: scripts branch on them.

import type { JsonObject } from "@bufbuild/protobuf";

/** Exit codes of the command. */
export const exitCodes = {
  /** The command did its work, and every check passed. */
  fine: 0,
  /** A check failed, or the server refused. */
  refused: 1,
  /** The command was called wrongly, or a file that it names cannot be used. */
  usage: 2,
  /** The server could not be reached, or failed. */
  server: 3,
} as const;

/** How a command ended. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What a failure may carry besides its code and message. */
export interface FailureOptions {
  /** What to do about it. */
  readonly hint?: string;
  /** Further details of the server's answer. */
  readonly detail?: JsonObject;
  readonly cause?: unknown;
}

/** A failure that the command reports to its caller. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: ExitCode;
  /** Stable name of what happened, such as "usage" or "version_conflict". */
  readonly code: string;
  readonly hint: string | undefined;
  readonly detail: JsonObject | undefined;

  constructor(exitCode: ExitCode, code: string, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = exitCode;
    this.code = code;
    this.hint = options.hint;
    this.detail = options.detail;
  }
}

/** The command was called wrongly. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(exitCodes.usage, "usage", message, { hint });
}

/** A file cannot be read or written. */
export function fileFailure(path: string, cause: unknown): Failure {
  return new Failure(exitCodes.usage, "file", `${path}: ${whyOf(cause)}`, { cause });
}

/** A check failed, or the server refused. */
export function refusal(code: string, message: string, options: FailureOptions = {}): Failure {
  return new Failure(exitCodes.refused, code, message, options);
}

const causes: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "this user may not open it",
  EISDIR: "it is a folder, and a file is needed",
  ENOTDIR: "a part of the path is not a folder",
  ENOSPC: "the disk is full",
  EEXIST: "it already exists",
  ELOOP: "its symbolic links go in a circle",
};

function whyOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause ? String(cause.code) : "";
  return causes[code] ?? cause.message;
}
