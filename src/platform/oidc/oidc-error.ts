// Failures of an exchange with an identity provider, by cause: the provider is unavailable, its address is refused, or
// its answer is invalid.

import * as client from "openid-client";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import { OutboundError } from "../../kit/net/outbound/error.ts";

/** The fault of a failed exchange with a provider; `invalid` makes the fault for an invalid answer. */
export function oidcFault(error: unknown, invalid: (message: string, cause: unknown) => Fault): Fault {
  if (error instanceof Fault) return error;
  const chain = causesOf(error);
  const outbound = chain.find((each) => each instanceof OutboundError);
  const refused = chain.find((each) => each instanceof Fault);
  if (outbound?.failure === "address_refused") {
    return refused ?? new Fault(Reason.ADDRESS_REFUSED, outbound.message, { cause: error });
  }
  if (outbound?.failure === "body_too_large" || outbound?.failure === "headers_too_large") {
    return invalid("its answer is too large", error);
  }
  const status = chain.find((each) => each instanceof Response)?.status ?? 0;
  if (outbound !== undefined || status >= 500 || chain.some(isKeyFetch)) return unavailable(error);
  return invalid(refusalOf(chain), error);
}

/** An invalid answer of a provider. */
export function ssoRefused(message: string, cause?: unknown): Fault {
  return new Fault(Reason.SSO_REFUSED, message, cause === undefined ? {} : { cause });
}

function unavailable(cause: unknown): Fault {
  return new Fault(Reason.UNAVAILABLE, "the identity provider is not available at the moment; try again", { cause });
}

/** jose's errors about fetching the keys, as opposed to finding one among them. */
function isKeyFetch(error: unknown): boolean {
  const { code } = (error instanceof Error ? error : {}) as { code?: unknown };
  return code === "ERR_JOSE_GENERIC" || code === "ERR_JWKS_TIMEOUT" || code === "ERR_JWKS_INVALID";
}

/**
 * The text that the caller may see. Of the provider's own texts only its error code is passed on (RFC 6749, section
 * 4.1.2.1).
 */
function refusalOf(chain: readonly unknown[]): string {
  const said = chain.find(
    (each) => each instanceof client.AuthorizationResponseError || each instanceof client.ResponseBodyError,
  );
  const code = said?.error ?? "";
  if (/^[a-z_]{1,64}$/.test(code)) return `it answered ${code}`;
  const status = chain.find((each) => each instanceof Response)?.status;
  if (status !== undefined && status !== 200) return `it answered with status ${status}`;
  return "its answer is not valid";
}

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && chain.length < 8; ) {
    chain.push(at);
    at = at instanceof Error ? at.cause : undefined;
  }
  return chain;
}
