// Where policies, lists and packs apply: everywhere, or in a project, an environment, for an agent.

import { useQuery } from "@connectrpc/connect-query";
import type { Scope } from "../../gen/policyguard/common/v1/scope_pb.ts";
import { EnvironmentService } from "../../gen/policyguard/control/v1/environment_service_pb.ts";
import type { Project } from "../../gen/policyguard/control/v1/project_pb.ts";
import { ProjectService } from "../../gen/policyguard/control/v1/project_service_pb.ts";
import { en } from "../text/en.ts";
import type { Further } from "./choice/further.ts";
import { useProjects } from "./choice/project.ts";
import { useOrganization } from "./organization.ts";

/** Where a policy applies, in words: "everywhere", or "Support assistant · prod · support-bot". */
export function scopeText(scope: Scope | undefined, projects: readonly Project[] = []): string {
  const project = projects.find(({ id }) => id === scope?.appId)?.name ?? scope?.appId;
  const parts = [project, scope?.env, scope?.agentId].filter(
    (part) => part !== undefined && part !== "" && part !== "*",
  );
  return parts.length === 0 ? en.policies.everywhere : parts.join(" · ");
}

/** The same, with the names of the organization's projects. */
export function useScopeText(): (scope: Scope | undefined) => string {
  const { orgId } = useOrganization();
  const { data } = useQuery(ProjectService.method.listProjects, { orgId, limit: 200 });
  return (scope) => scopeText(scope, data?.projects);
}

/** What somebody may choose for a scope: all projects, and the environments of the chosen one, else of the first. */
export function useScopeOptions(appId: string): {
  readonly projects: readonly Project[];
  readonly further: Further<Project> | undefined;
  readonly environments: readonly string[];
} {
  const { orgId } = useOrganization();
  const { projects, further, project } = useProjects(appId);
  const { data } = useQuery(
    EnvironmentService.method.listEnvironments,
    { orgId, projectId: project?.id ?? "" },
    { enabled: project !== undefined },
  );
  return { projects, further, environments: data?.environments.map(({ name }) => name) ?? [] };
}
