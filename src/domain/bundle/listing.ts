// The lists of a bundle: those that its policies read by name, with their items as they are now.

import type { ListHead } from "../../store/policy/list.ts";
import type { ListPart } from "../analysis/stored-part.ts";

/** A list for a bundle. */
export function listPart(
  orgId: string,
  { id, appId, agentId, env, name }: ListHead,
  items: ListPart["items"],
): ListPart {
  return { list_id: id, name, scope: { tenant_id: orgId, app_id: appId, agent_id: agentId, env }, items };
}
