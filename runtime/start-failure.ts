import { ConfigError } from "../src/kit/config.ts";
import { isDiskFull } from "../src/kit/disk-full.ts";
import { BundleRejection } from "./bundle/rejection.ts";

/** Why a runtime does not start, for the person who started it: without a stack, unless it is a defect of ours. */
export function whyNotStarted(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError) return error.message;
  if (error instanceof BundleRejection) return `the bundle is refused (${error.reason}): ${error.message}`;
  if ("code" in error && error.code === "EADDRINUSE" && "port" in error) {
    return `port ${error.port} is taken; choose others with RUNTIME_PORT and RUNTIME_MANAGEMENT_PORT`;
  }
  // It does not always say where.
  if (isDiskFull(error)) return `there is no room in the data folder, which POLICY_GUARD_DATA names: ${error.message}`;
  // Errors that are made to be read are plain ones; TypeError and its like come from mistakes in the code.
  const isDefect = error.constructor !== Error && !("code" in error);
  return isDefect ? (error.stack ?? error.message) : withCause(error);
}

function withCause(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
