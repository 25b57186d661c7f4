// What can go wrong, and how it is told. The catalogue itself is the enum Reason in proto/policyguard/common/v1.

import { create, getOption, type JsonObject } from "@bufbuild/protobuf";
import { ErrorDetailSchema, Reason, ReasonSchema } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { reason as reasonOption } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { type Code, ConnectError, codeFromString } from "./connect-code.ts";

/** How one kind of failure travels: HTTP status, Connect code, and the value of `detail.error` ("" = plain string). */
export interface ReasonRule {
  readonly reason: Reason;
  readonly name: string;
  readonly httpStatus: number;
  readonly code: Code;
  readonly error: string;
}

const rules: ReadonlyMap<Reason, ReasonRule> = new Map(
  ReasonSchema.values
    .filter((value) => value.number !== Reason.UNSPECIFIED)
    .map((value) => {
      const rule = getOption(value, reasonOption);
      return [
        value.number as Reason,
        {
          reason: value.number as Reason,
          name: value.name,
          httpStatus: rule.httpStatus,
          code: codeFromString(rule.connectCode),
          error: rule.error,
        },
      ];
    }),
);

/** The rule of a reason. Throws for a value that the catalogue does not have. */
export function reasonRule(reason: Reason): ReasonRule {
  const rule = rules.get(reason);
  if (rule === undefined) throw new Error(`reason ${reason} has no rule in the catalogue`);
  return rule;
}

/** All rules, in the order of the catalogue. */
export function reasonRules(): ReasonRule[] {
  return [...rules.values()];
}

/** One request field that failed its rules. `field` is a path such as "events[0]". */
export interface FieldViolation {
  readonly field: string;
  readonly message: string;
}

/** What a Fault may carry besides its reason and message. */
export interface FaultOptions {
  /** Further keys of the answer's `detail`, safe for the caller. */
  readonly extra?: JsonObject;
  /** Response headers, such as Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The error that caused it, for the log only. */
  readonly cause?: unknown;
  /** Further facts for the log only. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** A failure that callers are told of. `message` is safe for the caller; `cause` and `context` are for the log. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly reason: Reason;
  readonly extra: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly context: Readonly<Record<string, unknown>>;

  constructor(reason: Reason, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
    this.context = options.context ?? {};
  }
}

/** The RPC form of a fault: its code, and an ErrorDetail from which the gateway makes the REST envelope. */
export function toConnectError(fault: Fault): ConnectError {
  const rule = reasonRule(fault.reason);
  return new ConnectError(
    fault.message,
    rule.code,
    fault.headers,
    [
      {
        desc: ErrorDetailSchema,
        value: create(ErrorDetailSchema, { reason: fault.reason, error: rule.error, extra: fault.extra }),
      },
    ],
    fault,
  );
}

/** No such resource in the caller's organization. `noun` as in "webhook". */
export function notFound(noun: string): Fault {
  return new Fault(Reason.NOT_FOUND, `no such ${noun} in this organization`);
}

/** Request fields that fail their rules. */
export function validationFailed(
  fields: readonly FieldViolation[],
  { cause }: { readonly cause?: unknown } = {},
): Fault {
  const first = fields[0];
  const message = first === undefined ? "the request is not valid" : `${first.field}: ${first.message}`;
  return new Fault(Reason.VALIDATION_FAILED, message, {
    cause,
    extra: { fields: fields.map(({ field, message: text }) => ({ field, message: text })) },
  });
}

/** The request cannot be read at all. */
export function malformedRequest(message: string): Fault {
  return new Fault(Reason.MALFORMED_REQUEST, message);
}

/** No credential, or an unknown, expired or revoked one; deliberately one answer for all. */
export function unauthenticated(message = "missing or invalid credential"): Fault {
  return new Fault(Reason.UNAUTHENTICATED, message, { headers: challenge });
}

/** The browser's session is another than that of the page that calls. */
export function sessionChanged(): Fault {
  const message = "the browser has signed in again since this page was loaded; reload it";
  return new Fault(Reason.SESSION_CHANGED, message, { headers: challenge });
}

/** Every answer 401 says how to authenticate (RFC 9110, section 11.6.1). */
const challenge = { "WWW-Authenticate": 'Bearer realm="policy-guard"' };

/** The credential may not do this. `role` is the least role that may, where a role is what is missing. */
export function insufficientScope(message: string, { role }: { readonly role?: string } = {}): Fault {
  return new Fault(Reason.INSUFFICIENT_SCOPE, message, role === undefined ? {} : { extra: { role } });
}

/** The organization's plan does not include the operation; `plans` do. */
export function planRequired(plan: string, plans: readonly string[]): Fault {
  const message = `this operation comes with the plan ${plans.join(" or ")}; the organization has ${plan}`;
  return new Fault(Reason.PLAN_REQUIRED, message, { extra: { plan, plans: [...plans] } });
}

/** A link, or the key in it, is unknown, used or expired. */
export function linkInvalid(): Fault {
  return new Fault(Reason.LINK_INVALID, "this link is unknown, used or expired; ask for a new one");
}

/** The organization admits only sessions of its identity provider. */
export function ssoRequired(): Fault {
  return new Fault(Reason.SSO_REQUIRED, "this organization requires its members to sign in with single sign-on");
}

/** The organization demands a second factor, and the account has none. */
export function secondFactorRequired(): Fault {
  return new Fault(
    Reason.SECOND_FACTOR_REQUIRED,
    "this organization demands a second factor of everybody who signs in with a password; set one up in your account",
  );
}

/** The caller does not belong to the organization; byte-identical whether or not it exists. */
export function foreignOrganization(): Fault {
  return new Fault(Reason.FOREIGN_ORGANIZATION, "this credential has no access to this organization");
}
