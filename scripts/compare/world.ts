// What is made in an installation before anything is compared: a project whose environment has many policies, each for
// an agent of its own, and a runtime that enforces them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { call, demand } from "./call.ts";
import { type Document, published } from "./input/documents.ts";
import { isObject, type Json, listAt, textAt } from "./json.ts";
import type { Installation } from "./process/installation.ts";
import type { Recording } from "./recording.ts";

/** A project with a bundle in force. */
export interface World {
  readonly installation: Installation;
  readonly projectId: string;
  readonly environment: string;
  readonly bundleVersion: number;
  /** The token of its runtimes: an environment has one. */
  readonly runtimeToken: string;
}

/** What the worlds of both versions are made of. */
export interface WorldInput {
  readonly documents: readonly Document[];
  /** Named lists and output schemas that documents and vectors speak of. */
  readonly lists: readonly string[];
  readonly schemas: readonly (readonly [name: string, schema: Json])[];
  readonly packs: readonly string[];
}

/** The project's environment that is published. */
export const environment = "staging";

/** The agent whose policy is the document at that place of the list. */
export function agentOf(index: number): string {
  return `doc-${index + 1}`;
}

/** The agent whose policy is the pack. */
export function packAgentOf(pack: string): string {
  return `pack-${pack}`;
}

/** What there is in the repository. */
export function worldInput(root: string, documents: readonly Document[], vectors: readonly Json[]): WorldInput {
  const lists = documents.flatMap(({ source }) =>
    [...source.matchAll(/(\w+): *\{named: true/g)].map(([, name]) => name ?? ""),
  );
  const schemas = new Map<string, Json>();
  for (const vector of vectors) {
    for (const given of listAt(vector, "schemas")) {
      const schema = isObject(given) ? given.schema : undefined;
      if (schema !== undefined) schemas.set(textAt(given, "name"), schema);
    }
  }
  return {
    documents,
    lists: [...new Set(lists)],
    schemas: [...schemas],
    packs: readdirSync(join(root, "packs")).toSorted(),
  };
}

/** Makes the world and records what the installation said to it. */
export async function makeWorld(installation: Installation, input: WorldInput, recording: Recording): Promise<World> {
  const { checkout, dataFolder, facts, orgUrl } = installation;
  const token = facts.admin_token;
  // A month of the smallest plan has fewer evaluations than are compared.
  const plan = await checkout.run("operator", ["set-plan", facts.org_id, "enterprise"], {
    POLICY_GUARD_DATA: dataFolder,
  });
  if (plan.code !== 0) throw new Error(`the plan could not be set: ${plan.stderr}`);
  const project = await demand(`${orgUrl}/projects`, { token, body: { name: "Compared" } });
  const projectId = textAt(project, "id");
  recording.add("set-up", "project", project);
  // Policies that packs make carry it in their names.
  recording.places = [...recording.places, [projectId.slice(0, 8), "<project>"]];
  const add = async (name: string, path: string, body: Json) => {
    const { status, body: answer } = await call(`${orgUrl}/${path}`, { token, body });
    recording.add("set-up", name, { status, answer });
  };
  for (const name of input.lists)
    await add(`list ${name}`, "lists", { name, items: ["example.com", "partner.dev", "refund"] });
  for (const [name, schema] of input.schemas) await add(`schema ${name}`, "schemas", { name, schema });
  // One after the other: lists show them in the order in which they were made.
  for (const [index, document] of input.documents.entries()) {
    const policy = published(document, agentOf(index));
    const scope = { app_id: projectId, agent_id: agentOf(index), env: environment };
    if (policy !== undefined) await add(`policy ${agentOf(index)}`, "policies", { document: policy, scope });
  }
  for (const pack of input.packs) {
    const target = { target_app_id: projectId, target_agent_id: packAgentOf(pack), target_env: environment };
    await add(`pack ${pack}`, "packs/apply", { pack_id: pack, ...target });
  }
  const bundleVersion = await publish(installation, projectId, recording);
  const body = { name: "runtimes", project_id: projectId, environment };
  const issued = await demand(`${orgUrl}/tokens/runtime`, { token, body });
  return { installation, projectId, environment, bundleVersion, runtimeToken: textAt(issued, "token") };
}

async function publish({ orgUrl, facts }: Installation, projectId: string, recording: Recording): Promise<number> {
  const url = `${orgUrl}/projects/${projectId}/envs/${environment}/bundles/publish`;
  const bundle = await demand(url, { token: facts.admin_token, body: { activate: true } });
  recording.add("set-up", "published", bundle);
  const version = isObject(bundle) ? bundle.version : undefined;
  if (typeof version !== "number") throw new Error("the published bundle has no version");
  return version;
}

/** The vectors of evaluations, in the order of their names. */
export function readVectors(root: string, files: readonly string[]): Json[] {
  return files.map((file) => JSON.parse(readFileSync(join(root, file), "utf8")));
}
