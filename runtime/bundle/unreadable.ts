// Answers that arrived and cannot be read: cut short, badly compressed, not one of our messages, or larger than any
// bundle may be. The client library reports them with the codes of a network failure, so they are recognized by its
// messages; test/runtime/bundle checks that these stay the same.

import { ConnectError } from "@connectrpc/connect";
import { BundleRejection, type RejectionReason } from "./rejection.ts";

const readings: readonly (readonly [RegExp, RejectionReason])[] = [
  [/^message (?:size )?(?:\d+ )?is larger than configured readMaxBytes/, "too_large"],
  [/^decompression failed/, "malformed"],
  [/^parse binary: /, "malformed"],
  [/^unsupported (?:content type|response encoding) /, "malformed"],
];

/**
 * The refusal of an answer that cannot be read; undefined for an error that means that there was no answer, or that the
 * answer was an error.
 */
export function unreadable(error: unknown): BundleRejection | undefined {
  if (!(error instanceof ConnectError) || error.isWireError) return undefined;
  const [, reason] = readings.find(([form]) => form.test(error.rawMessage)) ?? [];
  if (reason === undefined) return undefined;
  return new BundleRejection(reason, `the control plane's answer cannot be read: ${error.rawMessage}`, {
    cause: error,
  });
}
