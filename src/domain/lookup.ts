// Finds the rows that a request names. What does not exist in the transaction's organization is a 404.

import { notFound } from "../kit/fault/fault.ts";
import type { Transaction } from "../store/core/transaction.ts";
import { type EnvironmentRow, findEnvironment, lockEnvironment } from "../store/project/environment.ts";
import { findProject, type ProjectRow } from "../store/project/project.ts";

/** The project. */
export async function requireProject(tx: Transaction, id: string): Promise<ProjectRow> {
  const project = await findProject(tx, id);
  if (project === null) throw notFound("project");
  return project;
}

/** The environment of a project. */
export async function requireEnvironment(tx: Transaction, projectId: string, name: string): Promise<EnvironmentRow> {
  const environment = await findEnvironment(tx, projectId, name);
  if (environment === null) throw notFound("environment");
  return environment;
}

/** The same, locked until the commit. */
export async function requireLockedEnvironment(
  tx: Transaction,
  projectId: string,
  name: string,
): Promise<EnvironmentRow> {
  const environment = await lockEnvironment(tx, projectId, name);
  if (environment === null) throw notFound("environment");
  return environment;
}
