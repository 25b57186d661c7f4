import { useQuery } from "@connectrpc/connect-query";
import type { Scope } from "../../../gen/policyguard/common/v1/scope_pb.ts";
import type { Project } from "../../../gen/policyguard/control/v1/project_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { en } from "../../text/en.ts";

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
