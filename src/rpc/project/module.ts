// The services of this room: projects, their environments and agents.

import type { ConnectRouter } from "@connectrpc/connect";
import { AgentService } from "../../../gen/policyguard/control/v1/agent_service_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import type { Agents } from "../../domain/project/agent.ts";
import type { Environments } from "../../domain/project/environment.ts";
import type { Projects } from "../../domain/project/project.ts";
import { agentHandlers } from "./agent.ts";
import { environmentHandlers } from "./environment.ts";
import { projectHandlers } from "./project.ts";

/** What the handlers call. */
export interface ProjectDomain {
  readonly projects: Projects;
  readonly environments: Environments;
  readonly agents: Agents;
}

/** Registers the services. */
export function registerProjectServices(
  router: ConnectRouter,
  { projects, environments, agents }: ProjectDomain,
): void {
  router.service(ProjectService, projectHandlers(projects));
  router.service(EnvironmentService, environmentHandlers(environments));
  router.service(AgentService, agentHandlers(agents));
}
