// The external signer that the configuration names, if any.

import { createExternalSigner, type ExternalSigner } from "./domain/bundle/external-signer.ts";
import type { Outbound } from "./kit/net/outbound/client.ts";

/**
 * The signer of the configuration; undefined when keys are kept in the database. Throws when only half of it is
 * configured.
 */
export function externalSigner(
  { signerUrl: url, signerSecret: secret }: { readonly signerUrl?: string; readonly signerSecret?: string },
  outbound: Outbound,
): ExternalSigner | undefined {
  if (url === undefined && secret === undefined) return undefined;
  if (url === undefined || secret === undefined) throw new Error("set both SIGNER_URL and SIGNER_SECRET, or neither");
  return createExternalSigner(outbound, { url, secret });
}
