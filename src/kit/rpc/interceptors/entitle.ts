import type { Interceptor } from "@connectrpc/connect";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, planRequired } from "../../fault/fault.ts";
import { callerKey } from "../context.ts";
import { methodFacts } from "../options.ts";

/** What an organization has paid for. */
export interface Entitlements {
  /** Name of the plan, such as "growth". */
  readonly plan: string;
  /** Whether an unpaid bill blocks the organization. */
  readonly billingBlocked: boolean;
}

/** Looks up what an organization has paid for. */
export type LookUpEntitlements = (orgId: string) => Promise<Entitlements>;

/** Refuses what the plan or an unpaid bill excludes. */
export function createEntitleInterceptor({ entitlements }: { entitlements: LookUpEntitlements }): Interceptor {
  return (next) => async (req) => {
    const caller = req.contextValues.get(callerKey);
    const { openWhenBillingBlocked, plans } = methodFacts(req.method).entitlement;
    if (caller === undefined || (openWhenBillingBlocked && plans.length === 0)) return next(req);
    const { plan, billingBlocked } = await entitlements(caller.orgId);
    if (billingBlocked && !openWhenBillingBlocked) {
      throw new Fault(Reason.PAYMENT_REQUIRED, "this organization is blocked until its bill is settled");
    }
    if (plans.length > 0 && !plans.includes(plan)) {
      throw planRequired(plan, plans);
    }
    return next(req);
  };
}
