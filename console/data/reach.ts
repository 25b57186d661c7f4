import { useQuery } from "@connectrpc/connect-query";
import { type RuntimeInstance, RuntimeState } from "../../gen/policyguard/control/v1/runtime_instance_pb.ts";
import { RuntimeInstanceService } from "../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { useOrganization } from "./organization.ts";

const { listRuntimeInstances } = RuntimeInstanceService.method;
/** Runtimes report within seconds; their number is asked for again as often. */
const newMs = 5_000;

/** How many of an environment's runtimes are connected, how many enforce a version, and the first that refused one. */
export interface Reached {
  readonly connected: number;
  /** 0 without a version. */
  readonly reached: number;
  readonly refused: readonly RuntimeInstance[];
  /** How many have refused it in all. */
  readonly refusals: number;
}

/** Counts the runtimes of an environment; of those that refused the newest bundle it has as many as `listed`. */
export function useReach(
  place: { readonly orgId: string; readonly projectId: string; readonly envName: string },
  { version, listed }: { readonly version: number | undefined; readonly listed: number },
): { readonly reach: Reached | undefined; readonly mayList: boolean; readonly error: unknown; refetch: () => void } {
  const { can } = useOrganization();
  const mayList = can(listRuntimeInstances);
  const refused = useQuery(
    listRuntimeInstances,
    { ...place, state: RuntimeState.REJECTED, connected: true, limit: listed },
    { enabled: mayList, refetchInterval: newMs },
  );
  const hasVersion = version !== undefined;
  const enforcing = useQuery(
    listRuntimeInstances,
    { ...place, bundleVersion: version ?? 0, connected: true, limit: 1 },
    { enabled: mayList && hasVersion, refetchInterval: newMs },
  );
  const { counts, runtimes = [], total: refusals = 0 } = refused.data ?? {};
  const isKnown = counts !== undefined && !(hasVersion && enforcing.data === undefined);
  return {
    mayList,
    reach: isKnown
      ? {
          connected: counts.active + counts.behind + counts.rejected,
          reached: hasVersion ? (enforcing.data?.total ?? 0) : 0,
          ...{ refused: runtimes, refusals },
        }
      : undefined,
    error: refused.error ?? enforcing.error ?? undefined,
    refetch: () => {
      refused.refetch();
      enforcing.refetch();
    },
  };
}
