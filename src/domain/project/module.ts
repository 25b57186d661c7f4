// The services of this room: projects, their environments and agents.

import type { Database } from "../../store/connection/database.ts";
import type { SigningKeys } from "../bundle/signing-keys.ts";
import { Agents } from "./agent.ts";
import { Environments } from "./environment.ts";
import { Projects } from "./project.ts";

/** What the services are built from. */
export interface ProjectParts {
  readonly database: Database;
  readonly keys: SigningKeys;
}

/** Builds the services. */
export function createProjectDomain({ database, keys }: ProjectParts) {
  return {
    projects: new Projects(database),
    environments: new Environments(database, keys),
    agents: new Agents(database),
  };
}
