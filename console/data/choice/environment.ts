import { createQueryOptions } from "@connectrpc/connect-query";
import { useQueries } from "@tanstack/react-query";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { useOrganization } from "../organization.ts";
import { transport } from "../transport.ts";

/** Of so many projects the environments are asked for, so that a large organization does not make a filter slow. */
export const maxProjects = 20;

/** The environments of these projects, in the order of promotion. */
export function useEnvironments(projectIds: readonly string[]): readonly Environment[] {
  const { orgId } = useOrganization();
  const answers = useQueries({
    queries: projectIds
      .slice(0, maxProjects)
      .map((projectId) =>
        createQueryOptions(EnvironmentService.method.listEnvironments, { orgId, projectId }, { transport }),
      ),
  });
  return answers.flatMap(({ data }) => data?.environments ?? []);
}
