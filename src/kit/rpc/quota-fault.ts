// Refusals of metered calls, the same for the playground and for runtimes.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../fault/fault.ts";
import { wholeSeconds } from "../process/clock.ts";

/** How much of the plan is used, and until when. */
export interface QuotaFacts {
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: Date;
  /** How the organization gets more; empty when nobody said. */
  readonly advice: string;
  /** Whether the plan may have more, and this runtime only waits for its next share. */
  readonly isWaiting?: boolean;
}

/** The plan's quota is used up. */
export function planLimitExceeded({ limit, used, resetsAt, advice, isWaiting = false }: QuotaFacts): Fault {
  if (isWaiting) {
    const message = `this runtime has used up its share of the plan's ${limit} evaluations of this month, and asks for the next one: try again in a second`;
    return new Fault(Reason.PLAN_LIMIT_EXCEEDED, message, { extra: extraOf({ limit, used, resetsAt }) });
  }
  const message = `the plan's ${limit} evaluations of this month are used up, or leased to other runtimes, until ${wholeSeconds(resetsAt)}`;
  return new Fault(Reason.PLAN_LIMIT_EXCEEDED, advice === "" ? message : `${message}. ${advice}`, {
    extra: extraOf({ limit, used, resetsAt }),
  });
}

function extraOf({ limit, used, resetsAt }: Pick<QuotaFacts, "limit" | "used" | "resetsAt">) {
  return { limit, used: Math.max(0, used), resets_at: wholeSeconds(resetsAt) };
}

/** An unpaid bill blocks the organization. */
export function paymentRequired(): Fault {
  return new Fault(Reason.PAYMENT_REQUIRED, "this organization is blocked until its bill is settled");
}
