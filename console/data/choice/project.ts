import { useQuery } from "@connectrpc/connect-query";
import type { Project } from "../../../gen/policyguard/control/v1/project_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { isId } from "../id.ts";
import { useOrganization } from "../organization.ts";
import { type First, useFirst } from "./further.ts";

const { getProject, listProjects } = ProjectService.method;

/** The projects of the organization, and the one that a page looks at: the chosen one, or the first. */
export function useProjects(chosen?: string): First<Project> & {
  /** The first ones, and the chosen one. */
  readonly projects: readonly Project[];
  readonly project: Project | undefined;
  readonly isLoaded: boolean;
} {
  const { orgId } = useOrganization();
  const list = useFirst(
    listProjects,
    (list) => ({ orgId, ...list }),
    ({ projects, total }) => ({ entries: projects, total }),
  );
  const { first = [], further } = list;
  const isBeyond =
    further !== undefined && chosen !== undefined && isId(chosen) && !first.some(({ id }) => id === chosen);
  const other = useQuery(getProject, { orgId, projectId: chosen ?? "" }, { enabled: isBeyond });
  const projects = other.data?.project === undefined ? first : [...first, other.data.project];
  return {
    ...list,
    projects,
    project: projects.find(({ id }) => id === chosen) ?? projects[0],
    // One that is gone leaves the first.
    isLoaded: list.first !== undefined && !(isBeyond && other.isLoading),
  };
}
