import { useQuery } from "@connectrpc/connect-query";
import type { BillingPlan } from "../../gen/policyguard/control/v1/billing_pb.ts";
import { BillingService } from "../../gen/policyguard/control/v1/billing_service_pb.ts";
import { useOrganization } from "./organization.ts";

/** Whether the plan has a feature, and the smallest plan that has it. */
export interface FeatureGate {
  /** Undefined while that is not known. */
  readonly isIncluded: boolean | undefined;
  readonly current: BillingPlan | undefined;
  readonly needed: BillingPlan | undefined;
}

/** Whether the organization's plan has a feature, such as "alerts". */
export function useFeature(feature: string): FeatureGate {
  const { orgId } = useOrganization();
  const { data } = useQuery(BillingService.method.listPlans, { orgId });
  const current = data?.plans.find(({ isCurrent }) => isCurrent);
  return {
    isIncluded: current?.features.includes(feature),
    current,
    needed: data?.plans.find(({ features }) => features.includes(feature)),
  };
}
