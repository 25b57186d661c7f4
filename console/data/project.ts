import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import type { Project } from "../../gen/policyguard/control/v1/project_pb.ts";
import { ProjectService } from "../../gen/policyguard/control/v1/project_service_pb.ts";
import { type Further, useSearched } from "./further.ts";
import { isId } from "./id.ts";
import { useOrganization } from "./organization.ts";

const maxProjects = 200;
const { getProject, listProjects } = ProjectService.method;

/** The projects of the organization, and the one that a page looks at: the chosen one, or the first. */
export function useProjects(chosen?: string): {
  /** The first ones, as many as one call answers, and the chosen one. */
  readonly projects: readonly Project[];
  readonly total: number;
  /** How to find those that are not among the first; undefined when all are. */
  readonly further: Further<Project> | undefined;
  readonly project: Project | undefined;
  readonly isLoaded: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly refetch: () => void;
} {
  const { orgId } = useOrganization();
  const { query, isResting, onSearch } = useSearched();
  const { data, isLoading, error, refetch } = useQuery(listProjects, { orgId, limit: maxProjects });
  const first = data?.projects ?? [];
  const hasFurther = (data?.total ?? 0) > maxProjects;
  const asked = useQuery(
    listProjects,
    { orgId, limit: maxProjects, query },
    { enabled: hasFurther && query !== "", placeholderData: keepPreviousData },
  );
  const isBeyond = hasFurther && chosen !== undefined && isId(chosen) && !first.some(({ id }) => id === chosen);
  const other = useQuery(getProject, { orgId, projectId: chosen ?? "" }, { enabled: isBeyond });
  const projects = other.data?.project === undefined ? first : [...first, other.data.project];
  return {
    projects,
    total: data?.total ?? 0,
    further: hasFurther
      ? { found: asked.data?.projects ?? [], isLoading: isResting || asked.isFetching, onSearch }
      : undefined,
    project: projects.find(({ id }) => id === chosen) ?? projects[0],
    // One that is gone leaves the first.
    isLoaded: data !== undefined && !(isBeyond && other.isLoading),
    isLoading,
    error: error ?? undefined,
    refetch,
  };
}
