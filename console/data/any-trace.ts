import { useQuery } from "@connectrpc/connect-query";
import { TraceService } from "../../gen/policyguard/control/v1/trace_service_pb.ts";
import { useOrganization } from "./organization.ts";

/**
 * Whether the organization has any trace at all, which tells a list that has nothing yet from one where nothing
 * matches. Asked for where a list is empty; undefined elsewhere and until the answer. When it cannot be told, what is said
 * is that nothing matches, which is known.
 */
export function useAnyTrace(isEmpty: boolean): boolean | undefined {
  const { orgId } = useOrganization();
  const { data, error } = useQuery(TraceService.method.listTraces, { orgId, limit: 1 }, { enabled: isEmpty });
  if (error !== null) return true;
  return data === undefined ? undefined : data.total > 0;
}
