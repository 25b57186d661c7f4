// Projects: the AI applications of an organization.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { SearchedPage } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { violatedUnique } from "../../store/connection/driver-error.ts";
import { lockEnvironments } from "../../store/project/environment.ts";
import { deleteProject, listProjects, ProjectRow } from "../../store/project/project.ts";
import { activeBundle } from "../bundle/fault.ts";
import { bundlesChannel, tokensChannel } from "../channel.ts";
import { requireProject } from "../lookup.ts";
import { isUnchanged } from "../unchanged.ts";
import { addEnvironment } from "./environment.ts";

/** Environments that a new project begins with, in the order of promotion. */
const firstEnvironments = ["dev", "staging", "prod"];

/** Creates, lists, changes and deletes projects. */
export class Projects {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates a project with its first environments. */
  create(caller: Caller, input: { readonly name: string; readonly description?: string }): Promise<ProjectRow> {
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const project = tx.em.create(ProjectRow, {
          orgId: tx.orgId,
          id: newId(),
          name: input.name,
          description: input.description ?? null,
          createdAt: tx.now,
          updatedAt: tx.now,
        });
        await tx.em.flush();
        firstEnvironments.forEach((name, position) => {
          addEnvironment(tx, { projectId: project.id, name, position });
        });
        tx.changed({ resource: resourceOf(project), before: null, after: auditView(project) });
        return project;
      }),
    );
  }

  /** A page of the projects that the caller may see. */
  list(caller: Caller, page: SearchedPage): Promise<[ProjectRow[], number]> {
    return this.#database.read(caller.orgId, (tx) => listProjects(tx, page, caller.credential.projectId));
  }

  /** The project. */
  get(caller: Caller, id: string): Promise<ProjectRow> {
    return this.#database.read(caller.orgId, (tx) => requireProject(tx, id));
  }

  /** Changes what is given. */
  update(
    caller: Caller,
    id: string,
    change: { readonly name?: string; readonly description?: string },
  ): Promise<ProjectRow> {
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const project = await requireProject(tx, id);
        const before = auditView(project);
        const { name = project.name, description = project.description } = change;
        const next = { name, description };
        if (!isUnchanged(project, next)) Object.assign(project, next, { updatedAt: tx.now });
        tx.changed({ resource: resourceOf(project), before, after: auditView(project) });
        return project;
      }),
    );
  }

  /** Deletes the project; one with an active bundle only by force. */
  delete(caller: Caller, id: string, { force }: { readonly force: boolean }): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const project = await requireProject(tx, id);
      // Locked, so that no bundle becomes active between this check and the deletion.
      const environments = await lockEnvironments(tx, id);
      if (!force && environments.some((environment) => environment.activeVersion !== null)) {
        throw activeBundle("project");
      }
      if (!(await deleteProject(tx, id))) throw notFound("project");
      await tx.notify(tokensChannel, {});
      for (const { name } of environments) await tx.notify(bundlesChannel, { project_id: id, environment: name });
      tx.changed({ resource: resourceOf(project), before: auditView(project), after: null });
    });
  }
}

async function namesAreUnique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (violatedUnique(error) !== "project_name") throw error;
    throw new Fault(Reason.ALREADY_EXISTS, "a project with this name exists; choose another name", { cause: error });
  }
}

function resourceOf(project: ProjectRow): string {
  return `project/${project.id}`;
}

function auditView({ name, description }: ProjectRow): { name: string; description: string | null } {
  return { name, description: description ?? null };
}
