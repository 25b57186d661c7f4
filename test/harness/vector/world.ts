// An organization to call with: a project with its environments, and a token of each kind. Tests that each make their
// own never meet.

import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { Plan } from "../../../src/domain/billing/plan.ts";
import { addToken, type TokenInput } from "../../../src/domain/identity/token.ts";
import { addEnvironment } from "../../../src/domain/project/environment.ts";
import { newToken } from "../../../src/kit/crypto/token.ts";
import { newId } from "../../../src/kit/process/id.ts";
import type { Caller } from "../../../src/kit/rpc/context.ts";
import type { Database } from "../../../src/store/connection/database.ts";
import type { Transaction } from "../../../src/store/core/transaction.ts";
import type { MemberRole } from "../../../src/store/identity/member.ts";
import type { TokenKind } from "../../../src/store/identity/token.ts";
import { ProjectRow } from "../../../src/store/project/project.ts";
import { addBuiltInGroups } from "../../../src/store/scim/scim-group.ts";
import { OrganizationRow } from "../../../src/store/tenancy/organization.ts";
import { createPerson, type Person } from "./person.ts";

/**
 * Members that may call in a test, by their role; "removed" was one, and "foreign_owner" owns the other organization.
 */
export type MemberPersona = "viewer" | "editor" | "administrator" | "owner" | "removed" | "foreign_owner";

/** What else may call in a test. */
export type TokenPersona =
  | "admin"
  | "ci"
  | "runtime"
  | "anonymous"
  | "garbage"
  | "unknown"
  | "expired"
  | "revoked"
  | "foreign";

/** The organization's directory, by a token that an admin or an owner has issued. There is one such token. */
export type DirectoryPersona = "scim" | "scim_owner";

/** Who may call in a test. */
export type Persona = TokenPersona | MemberPersona | DirectoryPersona;

/** One organization with its credentials. */
export interface World {
  readonly orgId: string;
  readonly projectId: string;
  /** The environment of the runtime token. */
  readonly environment: string;
  /** A caller with the admin token, for domain methods. */
  readonly caller: Caller;
  /** Token by persona; undefined for a call without one. */
  readonly tokens: Readonly<Record<TokenPersona, string | undefined>>;
  /** A member, with an account and a session. Each is made when first asked for: most tests need none. */
  readonly person: (persona: MemberPersona) => Promise<Person>;
  /** The token of the directory. Made when first asked for. */
  readonly directory: (persona: DirectoryPersona) => Promise<string>;
  /** What vectors may name as "${…}". */
  readonly variables: Readonly<Record<string, string>>;
}

/** An organization with a project and live tokens. */
interface Home {
  readonly orgId: string;
  readonly projectId: string;
  readonly admin: string;
  readonly ci: string;
  readonly runtime: string;
  readonly expired: string;
  readonly revoked: string;
}

const environment = "dev";
const others = new WeakMap<Database, Promise<Home>>();

/**
 * Makes an organization. The persona "foreign" is the admin of another one, which all worlds of a database share:
 * nobody else may change it.
 */
export async function createWorld(database: Database): Promise<World> {
  const other = await otherHome(database);
  const home = await createHome(database);
  return {
    orgId: home.orgId,
    projectId: home.projectId,
    environment,
    caller: adminCaller(home.orgId),
    tokens: {
      admin: home.admin,
      ci: home.ci,
      runtime: home.runtime,
      anonymous: undefined,
      garbage: "not-a-token",
      unknown: newToken(CredentialKind.ADMIN),
      expired: home.expired,
      revoked: home.revoked,
      foreign: other.admin,
    },
    person: memoized((persona: MemberPersona) => createMember(database, persona, home.orgId, other.orgId)),
    directory: memoized((persona: DirectoryPersona) => connectDirectory(database, home.orgId, persona)),
    variables: {
      org_id: home.orgId,
      project_id: home.projectId,
      env_name: environment,
      foreign_org_id: other.orgId,
      foreign_project_id: other.projectId,
      unknown_id: newId(),
    },
  };
}

/** The token that a persona calls with; undefined for a call without one. */
export async function tokenOf(world: World, persona: string): Promise<string | undefined> {
  if (isMember(persona)) return (await world.person(persona)).access_token;
  if (persona === "scim" || persona === "scim_owner") return world.directory(persona);
  if (!(persona in world.tokens)) throw new Error(`nobody is called ${persona}`);
  return world.tokens[persona as TokenPersona]; // just checked
}

const memberRoles: Readonly<Record<MemberPersona, MemberRole>> = {
  viewer: "viewer",
  editor: "editor",
  administrator: "admin",
  owner: "owner",
  removed: "admin",
  foreign_owner: "owner",
};

/** Whether the persona is a person, and no token. */
export function isMember(persona: string): persona is MemberPersona {
  return persona in memberRoles;
}

async function createMember(database: Database, persona: MemberPersona, orgId: string, otherId: string) {
  const place = { orgId: persona === "foreign_owner" ? otherId : orgId, role: memberRoles[persona] };
  const person = await createPerson(database, place);
  if (persona === "removed") {
    await database.systemTransaction(orgId, (tx) => tx.sql("delete from member where id = ?", [person.member_id]));
  }
  return person;
}

function memoized<K, V>(make: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const made = new Map<K, Promise<V>>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
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

function connectDirectory(database: Database, orgId: string, persona: DirectoryPersona): Promise<string> {
  return database.systemTransaction(orgId, async (tx) => {
    await addBuiltInGroups(tx);
    const author = { label: "gr_adm_test", accountId: null, tokenId: null };
    const { row, value } = await addToken(tx, author, "scim", { name: "directory" });
    row.authority = persona === "scim" ? "admin" : "owner";
    return value;
  });
}

function otherHome(database: Database): Promise<Home> {
  // Every test adds to it, so it has the plan of most room.
  const known = others.get(database);
  if (known !== undefined) return known;
  const made = createHome(database, "enterprise");
  others.set(database, made);
  // A database that is still on the schema of an older release takes none yet.
  made.catch(() => others.delete(database));
  return made;
}

// One transaction: hundreds of tests each make a home.
function createHome(database: Database, plan: Plan = "free"): Promise<Home> {
  const orgId = newId();
  return database.systemTransaction(orgId, async (tx) => {
    const times = { createdAt: tx.now, updatedAt: tx.now };
    tx.em.create(OrganizationRow, { id: orgId, name: "Test", plan, billingBlocked: false, ...times });
    await tx.em.flush();
    const projectId = newId();
    tx.em.create(ProjectRow, { orgId, id: projectId, name: "Assistant", description: null, ...times });
    await tx.em.flush();
    ["dev", "staging", "prod"].forEach((name, position) => {
      addEnvironment(tx, { projectId, name, position });
    });
    await tx.em.flush();
    return { orgId, projectId, ...(await issueAll(tx, projectId)) };
  });
}

async function issueAll(tx: Transaction, projectId: string) {
  const issue = async (kind: TokenKind, input: Partial<TokenInput> = {}) =>
    addToken(tx, { label: "gr_adm_test", accountId: null, tokenId: null }, kind, { name: kind, ...input });
  const { value: admin } = await issue("admin");
  const { value: ci } = await issue("ci", { projectId });
  const { value: runtime } = await issue("runtime", { projectId, environment });
  const { value: expired } = await issue("admin", { name: "expired", expiresAt: new Date(tx.now.getTime() - 1000) });
  const revoked = await issue("admin", { name: "revoked" });
  revoked.row.revokedAt = tx.now;
  return { admin, ci, runtime, expired, revoked: revoked.value };
}
