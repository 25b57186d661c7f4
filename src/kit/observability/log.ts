// The process log: one JSON object a line on standard output, without secrets.

import { setTimeout as sleep } from "node:timers/promises";
import { type DestinationStream, type Logger, pino } from "pino";
import { tokenPattern } from "../crypto/token.ts";
import { Fault } from "../fault/fault.ts";
import { LogStream } from "./log-stream.ts";

export type { Logger } from "pino";

/** How much is logged. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** What a log needs to know. */
export interface LogOptions {
  /** Name of the process, on every line. */
  readonly name: string;
  readonly level: LogLevel;
  /** Where lines go instead of standard output. */
  readonly destination?: DestinationStream;
}

// Keys whose values are masked at any depth. Works on the finished line: within JSON text a quotation mark before a key
// is never escaped, and one pass is several times cheaper than a list of paths with wildcards.
const secretPairs =
  /"(authorization|x-api-key|(?:set-)?cookie|(?:\w+_)?(?:password|secret|token))":(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\])/gi;
// Without \b: a line break before a token is the two characters "\n" in JSON text, whose "n" would make it fail.
const tokens = new RegExp(tokenPattern.source.replaceAll("\\b", ""), "g");
const maxCauses = 5;
const flushMs = 1_000;

/** A log. Values of credential headers and everything that looks like a token are masked, wherever they stand. */
export function createLog({ name, level, destination }: LogOptions): Logger {
  const options = {
    level,
    base: { name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
    hooks: { streamWrite: maskSecrets },
  };
  return pino(options, destination ?? standardOutput());
}

let output: LogStream | undefined;

function standardOutput(): LogStream {
  if (output !== undefined) return output;
  const stream = new LogStream(process.stdout.fd);
  process.on("exit", () => stream.flushSync());
  output = stream;
  return stream;
}

/**
 * Resolves once all earlier lines are written, or after a second. A process that exits then loses no line that somebody
 * reads.
 */
export async function flushLog(log: Logger): Promise<void> {
  const limit = new AbortController();
  const written = new Promise<void>((resolve) => log.flush(() => resolve()));
  const late = sleep(flushMs, undefined, { signal: limit.signal }).then(
    () => output?.giveUp(),
    () => undefined,
  );
  await Promise.race([written, late]);
  limit.abort();
}

/** A line of JSON whose secrets are masked; of a token, its kind stays. */
function maskSecrets(line: string): string {
  return line
    .replace(secretPairs, '"$1":"[masked]"')
    .replace(tokens, (token) => `${token.slice(0, token.lastIndexOf("_") + 1)}[masked]`);
}

/** An error as plain data for the log: type, message, stack, the context of a Fault, and its causes. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { cause } = error;
  return {
    type: error.name,
    message: error.message,
    ...codeOf(error),
    ...(error instanceof Fault ? { context: error.context } : {}),
    stack: error.stack,
    ...(cause === undefined || depth >= maxCauses ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

// System and database errors name their kind in `code`, such as ECONNREFUSED or 23505.
function codeOf(error: Error): { code?: string | number } {
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" || typeof code === "number" ? { code } : {};
}
