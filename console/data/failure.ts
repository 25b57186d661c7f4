// What went wrong, by the typed code of the failure's detail. Pages decide by `kind` and show `message`, which is the
// server's sentence wherever it has one.

import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema, Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";

/** How a page answers a failure. */
export type FailureKind =
  | "signed_out"
  | "session_changed"
  | "billing_blocked"
  | "plan_limit"
  | "refused"
  | "gone"
  | "version_conflict"
  | "conflict"
  | "invalid"
  | "wait"
  | "broken"
  | "unreachable"
  /** An error of the page itself. */
  | "script";

/** A field that the server refused, and why. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** How a gate stood that a call was held against. */
export interface GateFault {
  readonly gate: string;
  readonly state: string;
}

/** How much of the plan was used when it was used up. */
export interface PlanUse {
  readonly used: number;
  readonly limit: number;
  readonly resetsAt: Date;
}

/** One failure as pages see it. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  /** The code of the detail, such as "bundle_frozen"; empty when there is none. */
  readonly code: string;
  readonly fields: readonly FieldFault[];
  /** The gates of an environment that were checked; empty when none was. */
  readonly gates: readonly GateFault[];
  /** The activation in force, by its sequence number, where the call expected another one; 0 for none. */
  readonly activationSeq: number | undefined;
  /** The least role that may do what was refused, such as "editor", where a role is what is missing. */
  readonly role: string | undefined;
  /** Where the plan is used up. */
  readonly planUse: PlanUse | undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** For support: the id of the call in the server's log. */
  readonly requestId: string | undefined;
}

const byReason: ReadonlyMap<Reason, FailureKind> = new Map([
  [Reason.SESSION_CHANGED, "session_changed"],
  [Reason.PAYMENT_REQUIRED, "billing_blocked"],
  [Reason.PLAN_LIMIT_EXCEEDED, "plan_limit"],
  [Reason.VERSION_CONFLICT, "version_conflict"],
  [Reason.ACCOUNT_LOCKED, "wait"],
  [Reason.RATE_LIMITED, "wait"],
]);

const byCode: ReadonlyMap<Code, FailureKind> = new Map([
  [Code.Unauthenticated, "signed_out"],
  [Code.PermissionDenied, "refused"],
  [Code.NotFound, "gone"],
  [Code.AlreadyExists, "conflict"],
  [Code.FailedPrecondition, "conflict"],
  [Code.Aborted, "conflict"],
  [Code.InvalidArgument, "invalid"],
  [Code.OutOfRange, "invalid"],
  [Code.ResourceExhausted, "wait"],
]);

/** The failure of a call. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ConnectError)) return { ...noDetail, kind: "script", message: messageOf(error) };
  const detail = error.findDetails(ErrorDetailSchema)[0];
  const extra: Readonly<Record<string, unknown>> = detail?.extra ?? {};
  const kind = (detail && byReason.get(detail.reason)) ?? byCode.get(error.code) ?? brokenKind(error, detail);
  return {
    kind,
    message: error.rawMessage,
    code: detail?.error ?? "",
    fields: fieldsOf(extra.fields),
    gates: gatesOf(extra.gates),
    activationSeq: typeof extra.current_activation_seq === "number" ? extra.current_activation_seq : undefined,
    role: typeof extra.role === "string" ? extra.role : undefined,
    planUse: planUseOf(extra),
    retryAfter: typeof extra.retry_after === "number" ? extra.retry_after : undefined,
    requestId: error.metadata.get("x-request-id") ?? undefined,
  };
}

const noDetail = {
  ...{ code: "", fields: [], gates: [] },
  ...{ activationSeq: undefined, role: undefined, planUse: undefined, retryAfter: undefined, requestId: undefined },
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A failure without a detail did not come from the server's handlers. */
function brokenKind(error: ConnectError, detail: unknown): FailureKind {
  if (detail !== undefined) return "broken";
  return error.code === Code.Unavailable || error.code === Code.Unknown ? "unreachable" : "broken";
}

function planUseOf({ used, limit, resets_at }: Readonly<Record<string, unknown>>): PlanUse | undefined {
  if (typeof used !== "number" || typeof limit !== "number" || typeof resets_at !== "string") return undefined;
  const resetsAt = new Date(resets_at);
  return Number.isNaN(resetsAt.getTime()) ? undefined : { used, limit, resetsAt };
}

function fieldsOf(value: unknown): FieldFault[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: { readonly field?: unknown; readonly message?: unknown } | null) =>
    typeof each?.field === "string" && typeof each.message === "string"
      ? [{ field: each.field, message: each.message }]
      : [],
  );
}

function gatesOf(value: unknown): GateFault[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: { readonly gate?: unknown; readonly state?: unknown } | null) =>
    typeof each?.gate === "string" && typeof each.state === "string" ? [{ gate: each.gate, state: each.state }] : [],
  );
}

/** What was refused about a field or a part of it, by the path that requests have for it, such as "positive.labels". */
export function faultsOf(error: unknown): (path: string) => string | undefined {
  const { fields } = error === undefined ? { fields: [] } : failureOf(error);
  const isWithin = (field: string, path: string) => field.startsWith(path) && /^[.[]/.test(field.slice(path.length));
  return (path) =>
    (fields.find(({ field }) => field === path) ?? fields.find(({ field }) => isWithin(field, path)))?.message;
}
