import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ProjectSchema } from "../../../gen/policyguard/control/v1/project_pb.ts";
import type { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import type { Projects } from "../../domain/project/project.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf, searchOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Row = Awaited<ReturnType<Projects["get"]>>;

/** Handlers of ProjectService. */
export function projectHandlers(projects: Projects): ServiceImpl<typeof ProjectService> {
  return {
    createProject: async ({ name, description }, context) => ({
      project: projectMessage(await projects.create(callerOf(context), { name, description })),
    }),
    listProjects: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await projects.list(callerOf(context), { ...page, ...searchOf(request) });
      return { total, ...page, projects: rows.map(projectMessage) };
    },
    getProject: async ({ projectId }, context) => ({
      project: projectMessage(await projects.get(callerOf(context), projectId)),
    }),
    updateProject: async ({ projectId, name, description }, context) => ({
      project: projectMessage(await projects.update(callerOf(context), projectId, { name, description })),
    }),
    deleteProject: async ({ projectId, force }, context) => {
      await projects.delete(callerOf(context), projectId, { force: force ?? false });
      return {};
    },
  };
}

function projectMessage(row: Row): MessageInitShape<typeof ProjectSchema> {
  return {
    id: row.id,
    orgId: row.orgId,
    name: row.name,
    description: row.description ?? undefined,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
