import { createQueryOptions } from "@connectrpc/connect-query";
import { useQueries } from "@tanstack/react-query";
import { type Member, MemberState } from "../../../gen/policyguard/control/v1/team_pb.ts";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { useOrganization } from "../organization.ts";
import { transport } from "../transport.ts";
import { type Further, mapFurther, maxFirst, useFirst } from "./further.ts";

const { listMembers } = TeamService.method;

/** The first members who are active, those of the chosen ones who are not among the first, and the way to all others. */
export function useMembers(chosen: readonly string[]): {
  readonly members: readonly Member[];
  /** Whether a chosen one who is not among them has left. */
  readonly isComplete: boolean;
  /** How to find those that are not among the first; undefined when all are. */
  readonly further: Further<Member> | undefined;
} {
  const { orgId } = useOrganization();
  const { first, total, further } = useFirst(
    listMembers,
    (list) => ({ orgId, ...list }),
    ({ members, total }) => ({ entries: members, total }),
  );
  const isBeyond = further !== undefined && chosen.some((id) => first?.every((each) => each.id !== id));
  // There is no call for one member: who is chosen is looked for on the other pages.
  const rest = useQueries({
    queries: Array.from({ length: isBeyond ? Math.ceil(total / maxFirst) - 1 : 0 }, (_, page) =>
      createQueryOptions(listMembers, { orgId, limit: maxFirst, offset: (page + 1) * maxFirst }, { transport }),
    ),
  });
  const beyond = rest.flatMap((page) => page.data?.members ?? []).filter(({ id }) => chosen.includes(id));
  const active = (members: readonly Member[]) => members.filter(({ state }) => state === MemberState.ACTIVE);
  return {
    members: active([...(first ?? []), ...beyond]),
    isComplete: first !== undefined && rest.every((page) => page.data !== undefined),
    further: mapFurther(further, active),
  };
}
