// Answers that arrived and cannot be read: cut short, compressed wrongly, no message of ours, or larger than any bundle. The client
// library gives them the codes of a network that fails, so they are told apart by what it says, which test/runtime/bundle holds it to.

import { ConnectError } from "@connectrpc/connect";
import { BundleRejection, type RejectionReason } from "./rejection.ts";

const readings: readonly (readonly [RegExp, RejectionReason])[] = [
  [/^message (?:size )?(?:\d+ )?is larger than configured readMaxBytes/, "too_large"],
  [/^decompression failed/, "malformed"],
  [/^parse binary: /, "malformed"],
  [/^unsupported (?:content type|response encoding) /, "malformed"],
];

/** The refusal of an answer that cannot be read; undefined for whatever says that there was no answer, or that it was an error. */
export function unreadable(error: unknown): BundleRejection | undefined {
  if (!(error instanceof ConnectError) || error.isWireError) return undefined;
  const [, reason] = readings.find(([form]) => form.test(error.rawMessage)) ?? [];
  if (reason === undefined) return undefined;
  return new BundleRejection(reason, `the control plane's answer cannot be read: ${error.rawMessage}`, {
    cause: error,
  });
}
