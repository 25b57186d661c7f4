import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ListSchema, ListSummarySchema } from "../../../gen/policyguard/control/v1/list_pb.ts";
import type { ListService } from "../../../gen/policyguard/control/v1/list_service_pb.ts";
import type { Lists } from "../../domain/policy/list.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Row = Awaited<ReturnType<Lists["get"]>>;

/** Handlers of ListService. */
export function listHandlers(lists: Lists): ServiceImpl<typeof ListService> {
  return {
    createList: async ({ name, description, scope, items }, context) => ({
      list: listMessage(await lists.create(callerOf(context), { name, description, scope, items })),
    }),
    listLists: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await lists.list(callerOf(context), page);
      return { total, ...page, lists: rows.map(summaryMessage) };
    },
    getList: async ({ listId }, context) => ({ list: listMessage(await lists.get(callerOf(context), listId)) }),
    updateList: async ({ listId, items, description, expectedRevision }, context) => ({
      list: listMessage(await lists.update(callerOf(context), listId, { items, description, expectedRevision })),
    }),
    deleteList: async ({ listId }, context) => {
      await lists.delete(callerOf(context), listId);
      return {};
    },
  };
}

function listMessage(row: Row): MessageInitShape<typeof ListSchema> {
  return { ...summaryMessage(row), items: [...row.items] };
}

function summaryMessage(row: Row) {
  return {
    id: row.id,
    orgId: row.orgId,
    name: row.name,
    description: row.description ?? undefined,
    scope: { tenantId: row.orgId, appId: row.appId, agentId: row.agentId, env: row.env },
    itemCount: row.itemCount,
    revision: row.revision,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  } satisfies MessageInitShape<typeof ListSummarySchema>;
}
