import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AgentSchema } from "../../../gen/policyguard/control/v1/agent_pb.ts";
import type { AgentService } from "../../../gen/policyguard/control/v1/agent_service_pb.ts";
import type { Agents } from "../../domain/project/agent.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf, searchOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Row = Awaited<ReturnType<Agents["rename"]>>;

/** Handlers of AgentService. */
export function agentHandlers(agents: Agents): ServiceImpl<typeof AgentService> {
  return {
    listAgents: async (request, context) => {
      const page = pageOf(request);
      const searched = { ...page, ...searchOf(request) };
      const [rows, total] = await agents.list(callerOf(context), request.projectId, searched);
      return { total, ...page, agents: rows.map(agentMessage) };
    },
    renameAgent: async ({ projectId, agentId, name }, context) => ({
      agent: agentMessage(await agents.rename(callerOf(context), projectId, agentId, name)),
    }),
    deleteAgent: async ({ projectId, agentId }, context) => {
      await agents.delete(callerOf(context), projectId, agentId);
      return {};
    },
  };
}

function agentMessage(row: Row): MessageInitShape<typeof AgentSchema> {
  return {
    id: row.id,
    orgId: row.orgId,
    projectId: row.projectId,
    key: row.key,
    name: row.name,
    firstSeenAt: timestamp(row.firstSeenAt),
    lastSeenAt: timestamp(row.lastSeenAt),
  };
}
