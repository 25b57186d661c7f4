import { whyNotStarted as why } from "../src/kit/process/start-failure.ts";
import { BundleRejection } from "./bundle/rejection.ts";

/** The reason why a runtime does not start, for the operator. */
export function whyNotStarted(error: unknown): string {
  if (error instanceof BundleRejection) return `the bundle is refused (${error.reason}): ${error.message}`;
  return why(error, { ports: "RUNTIME_PORT or RUNTIME_MANAGEMENT_PORT" });
}
