import { useQuery } from "@connectrpc/connect-query";
import type { Project } from "../../gen/policyguard/control/v1/project_pb.ts";
import { ProjectService } from "../../gen/policyguard/control/v1/project_service_pb.ts";
import { useOrganization } from "./organization.ts";

const maxProjects = 200;

/** The projects of the organization, and the one that a page looks at: the chosen one, or the first. */
export function useProjects(chosen?: string): {
  /** The first ones, as many as one call answers. */
  readonly projects: readonly Project[];
  readonly total: number;
  readonly project: Project | undefined;
  readonly isLoaded: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly refetch: () => void;
} {
  const { orgId } = useOrganization();
  const { data, isLoading, error, refetch } = useQuery(ProjectService.method.listProjects, {
    orgId,
    limit: maxProjects,
  });
  const projects = data?.projects ?? [];
  return {
    projects,
    total: data?.total ?? 0,
    project: projects.find(({ id }) => id === chosen) ?? projects[0],
    isLoaded: data !== undefined,
    isLoading,
    error: error ?? undefined,
    refetch,
  };
}
