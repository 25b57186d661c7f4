// An organization to call with: a project with its environments, and a token of each kind. Tests that each make their
// own never meet.

import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import { Organizations } from "../../src/domain/organization.ts";
import { Projects } from "../../src/domain/project.ts";
import { Tokens } from "../../src/domain/token.ts";
import type { Caller } from "../../src/kit/context.ts";
import { newId } from "../../src/kit/id.ts";
import { newToken } from "../../src/kit/token.ts";
import type { Database } from "../../src/store/database.ts";

/** Who may call in a test. */
export type Persona =
  | "admin"
  | "ci"
  | "runtime"
  | "anonymous"
  | "garbage"
  | "unknown"
  | "expired"
  | "revoked"
  | "foreign";

/** One organization with its credentials. */
export interface World {
  readonly orgId: string;
  readonly projectId: string;
  /** The environment of the runtime token. */
  readonly environment: string;
  /** A caller with the admin token, for domain methods. */
  readonly caller: Caller;
  /** Token by persona; undefined for a call without one. */
  readonly tokens: Readonly<Record<Persona, string | undefined>>;
  /** What vectors may name as "${…}". */
  readonly variables: Readonly<Record<string, string>>;
}

/** Makes an organization and, next to it, another one whose admin is the persona "foreign". */
export async function createWorld(database: Database): Promise<World> {
  const home = await createHome(database);
  const other = await createHome(database);
  const tokens = new Tokens(database);
  const issue = async (kind: "runtime" | "ci" | "admin", scope: { projectId?: string; environment?: string } = {}) =>
    (await tokens.issue(home.caller, kind, { name: kind, ...scope })).value;
  const { projectId } = home;
  const environment = "dev";
  return {
    ...home,
    environment,
    tokens: {
      admin: await issue("admin"),
      ci: await issue("ci", { projectId }),
      runtime: await issue("runtime", { projectId, environment }),
      anonymous: undefined,
      garbage: "not-a-token",
      unknown: newToken(CredentialKind.ADMIN),
      expired: await expiredToken(database, home.caller),
      revoked: await revokedToken(tokens, home.caller),
      foreign: (await tokens.issue(other.caller, "admin", { name: "admin" })).value,
    },
    variables: {
      org_id: home.orgId,
      project_id: projectId,
      env_name: environment,
      foreign_org_id: other.orgId,
      foreign_project_id: other.projectId,
      unknown_id: newId(),
    },
  };
}

/** A caller with an admin token of the organization. */
export function adminCaller(orgId: string): Caller {
  return {
    credential: {
      kind: CredentialKind.ADMIN,
      id: newId(),
      label: "gr_adm_test",
      orgId,
      projectId: undefined,
      environment: undefined,
      roles: new Map(),
    },
    orgId,
    role: undefined,
    audit: { action: "test.setup", requestId: "test", address: "127.0.0.1" },
  };
}

async function createHome(database: Database) {
  const { id: orgId } = await new Organizations(database).create({ name: "Test" });
  const caller = adminCaller(orgId);
  const project = await new Projects(database).create(caller, { name: "Assistant" });
  return { orgId, caller, projectId: project.id };
}

async function expiredToken(database: Database, caller: Caller): Promise<string> {
  const issued = await new Tokens(database).issue(caller, "admin", {
    name: "expired",
    expiresAt: new Date(Date.now() - 1000),
  });
  return issued.value;
}

async function revokedToken(tokens: Tokens, caller: Caller): Promise<string> {
  const issued = await tokens.issue(caller, "admin", { name: "revoked" });
  await tokens.revoke(caller, issued.row.id);
  return issued.value;
}
