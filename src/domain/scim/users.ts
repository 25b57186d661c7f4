// Members as SCIM users. Every member is one; what the directory writes about a member makes the member managed by it.

import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@bufbuild/protobuf";
import { notFound } from "../../kit/fault/fault.ts";
import { isUuid, newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import { violatedUnique } from "../../store/connection/driver-error.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { renameAccount } from "../../store/identity/account.ts";
import {
  deleteExpiredInvitation,
  deleteMember,
  findMember,
  findMemberByEmail,
  MemberRow,
} from "../../store/identity/member.ts";
import { findDefaultRole, touchGroupsOf } from "../../store/scim/scim-group.ts";
import {
  findMemberByExternalId,
  findMemberByUserName,
  findScimUser,
  listScimUsers,
  ScimUserRow,
  type ScimUserView,
  setUserAddresses,
  viewScimUser,
} from "../../store/scim/scim-user.ts";
import { deactivate, endMembership } from "../identity/deactivation.ts";
import { auditView, resourceOf } from "../identity/team.ts";
import { type Actor, assertNotLastOwner, lockTeamAs } from "../tenancy/team-rule.ts";
import type { CallGate } from "./call-gate.ts";
import { notUnique } from "./fault.ts";
import { assertMayTouch, tellingOwners } from "./owner-rule.ts";
import { type ListInput, listAnswer, pageOf } from "./page.ts";
import { patched, readOperations } from "./patch.ts";
import { type Projection, projected } from "./projection.ts";
import { userShape } from "./schema.ts";
import { userCondition } from "./user-filter.ts";
import {
  addressKeys,
  emailKeyOf,
  personName,
  readUser,
  type UserInput,
  userLocation,
  userNameKey,
  userResource,
  userVersion,
  writableAttributes,
} from "./user-resource.ts";
import { type AdmissionParts, inviteByMail, letIn } from "./user-state.ts";
import { assertMatch, namesVersion } from "./version.ts";

/** What the service is built from. */
export interface ScimParts extends AdmissionParts {
  readonly gate: CallGate;
}

/** A resource as it is answered. */
export interface Answered {
  readonly resource: JsonObject;
  readonly etag: string;
  readonly location: string;
  /** The caller has this version already. */
  readonly notModified?: boolean;
}

/** A change of one resource. */
export interface ChangeInput extends Projection {
  readonly id: string;
  readonly ifMatch?: string | undefined;
}

/** Lists, makes, changes and removes members on a directory's behalf. */
export class ScimUsers {
  readonly #database: Database;
  readonly #parts: ScimParts;

  constructor(database: Database, parts: ScimParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** A page of members. */
  list(caller: Caller, input: ListInput & Projection): Promise<JsonObject> {
    const condition = userCondition(input.filter);
    const { offset, limit } = pageOf(input);
    return this.#parts.gate.run(caller.orgId, () =>
      this.#database.read(caller.orgId, async (tx) => {
        const { total, views } = await listScimUsers(tx, condition, { limit, offset });
        const resources = views.map((view) => projected(userShape, userResource(view, this.#baseUrl(tx)), input));
        return listAnswer(resources, total, offset);
      }),
    );
  }

  /** One member. */
  get(
    caller: Caller,
    { id, ifNoneMatch, ...projection }: Projection & { id: string; ifNoneMatch?: string | undefined },
  ) {
    return this.#parts.gate.run(caller.orgId, () =>
      this.#database.read(caller.orgId, async (tx) => {
        const view = await requireView(tx, id);
        const notModified = ifNoneMatch !== undefined && namesVersion(ifNoneMatch, userVersion(view));
        return { ...this.#answered(tx, view, projection), notModified };
      }),
    );
  }

  /** Makes a member, or invites one. */
  create(caller: Caller, body: JsonObject, projection: Projection): Promise<Answered> {
    const input = readUser(body);
    return this.#change(caller, async (tx) => {
      await deleteExpiredInvitation(tx, input.email.key);
      await assertFree(tx, input, undefined);
      const member = await this.#add(tx, input);
      tx.changed({ resource: resourceOf(member), before: null, after: auditOf(member, input) });
      return this.#answered(tx, await requireView(tx, member.id), projection);
    });
  }

  /** Replaces what the directory says about a member. */
  replace(caller: Caller, body: JsonObject, input: ChangeInput): Promise<Answered> {
    return this.#update(caller, input, () => body);
  }

  /** Changes a part of it. */
  patch(caller: Caller, body: JsonObject, input: ChangeInput): Promise<Answered> {
    const operations = readOperations(body);
    return this.#update(caller, input, (view) =>
      patched(userShape, writableAttributes(view), operations, { id: view.id }),
    );
  }

  /** Removes a member. */
  delete(caller: Caller, { id, ifMatch }: ChangeInput): Promise<void> {
    return this.#change(caller, async (tx, actor) => {
      const [member, view] = await requireMember(tx, id);
      assertMatch(ifMatch, userVersion(view));
      assertMayTouch(actor, member.email, [member.role]);
      await assertNotLastOwner(tx, member);
      const before = auditView(member);
      await touchGroupsOf(tx, [member.id]);
      if (member.state === "active") await endMembership(tx, member, { reason: "removed", mailer: this.#parts.mailer });
      await deleteMember(tx, member.id);
      tx.changed({ resource: resourceOf(member), before, after: null });
    });
  }

  #update(
    caller: Caller,
    { id, ifMatch, ...projection }: ChangeInput,
    wanted: (view: ScimUserView) => JsonObject,
  ): Promise<Answered> {
    return this.#change(caller, async (tx, actor) => {
      const [member, view] = await requireMember(tx, id);
      assertMatch(ifMatch, userVersion(view));
      const input = readUser(wanted(view), { text: member.email, key: member.emailKey });
      await assertFree(tx, input, member.id);
      const before = auditView(member);
      await this.#apply(tx, member, input, actor);
      tx.changed({ resource: resourceOf(member), before, after: auditOf(member, input) });
      return this.#answered(tx, await requireView(tx, id), projection);
    });
  }

  async #add(tx: Transaction, input: UserInput): Promise<MemberRow> {
    const { email } = input;
    const member = tx.em.create(MemberRow, {
      ...{ orgId: tx.orgId, id: newId(), accountId: null, email: email.text, emailKey: email.key },
      ...{ role: await findDefaultRole(tx), state: "deactivated", createdAt: tx.now, updatedAt: tx.now },
      ...{ invitationDigest: null, invitationExpiresAt: null, invitedBy: null, invitedByAccountId: null },
    });
    await tx.em.flush();
    const row = sayFirst(tx, member, input);
    await tx.em.flush();
    await setUserAddresses(tx, member.id, addressKeys(input.attributes));
    if (input.active !== false) {
      row.madeAccount = await letIn(tx, member, { name: personName(input), parts: this.#parts });
    }
    return member;
  }

  async #apply(tx: Transaction, member: MemberRow, input: UserInput, actor: Actor): Promise<void> {
    const found = await findScimUser(tx, member.id);
    const wasActive = member.state !== "deactivated";
    const isActive = input.active ?? wasActive;
    const isMoved = input.email.key !== member.emailKey;
    const isNews = found === null || wasActive !== isActive || isMoved || !saysSame(found, input);
    // Directories send everybody again and again; what was said before changes nothing, so it is no change of an owner.
    if (isNews) assertMayTouch(actor, member.email, [member.role]);
    else if (member.state !== "invited") return;
    if (wasActive && !isActive) await assertNotLastOwner(tx, member);
    const row = found ?? sayFirst(tx, member, input);
    const isRenamed = row.madeAccount && input.attributes.displayName !== row.attributes.displayName;
    const former = addressKeys(row.version === 0 ? {} : row.attributes);
    const keys = addressKeys(input.attributes);
    // Groups show the names of their members.
    if (input.userName !== row.userName) await touchGroupsOf(tx, [member.id]);
    Object.assign(row, said(input), { version: row.version + 1, updatedAt: tx.now });
    if (isMoved) moveTo(tx, member, input);
    if (keys.join() !== former.join()) {
      await tx.em.flush();
      await setUserAddresses(tx, member.id, keys);
    }
    if (isRenamed && member.accountId != null) {
      await renameAccount(await tx.openAccount(member.accountId), personName(input));
    }
    if (wasActive && !isActive) await deactivate(tx, member, { mailer: this.#parts.mailer });
    else if (!wasActive && isActive) {
      const made = await letIn(tx, member, { name: personName(input), parts: this.#parts });
      row.madeAccount ||= made;
    } else if (member.state === "invited" && input.active === true) await inviteByMail(tx, member, this.#parts);
  }

  #change<T>(caller: Caller, work: (tx: Transaction, actor: Actor) => Promise<T>): Promise<T> {
    const { gate, mailer } = this.#parts;
    const change = () =>
      this.#database
        .transaction(caller, async (tx) => work(tx, await lockTeamAs(tx, caller, "admin")))
        .catch((error: unknown) => {
          throw violatedUnique(error) === undefined ? error : taken();
        });
    return gate.run(caller.orgId, () => tellingOwners(this.#database, { orgId: caller.orgId, mailer }, change));
  }

  #answered(tx: Transaction, view: ScimUserView, projection: Projection): Answered {
    const baseUrl = this.#baseUrl(tx);
    return {
      resource: projected(userShape, userResource(view, baseUrl), projection),
      etag: userVersion(view),
      location: userLocation(view.id, baseUrl),
    };
  }

  #baseUrl({ orgId }: Transaction): string {
    return scimBaseUrl(this.#parts.publicUrl, orgId);
  }
}

/** The address that a directory calls, without a slash at its end. */
export function scimBaseUrl(publicUrl: string, orgId: string): string {
  return `${publicUrl}/v1/orgs/${orgId}/scim/v2`;
}

function sayFirst(tx: Transaction, { id: memberId }: MemberRow, input: UserInput): ScimUserRow {
  const start = { madeAccount: false, version: 0, updatedAt: tx.now };
  return tx.em.create(ScimUserRow, { orgId: tx.orgId, memberId, ...said(input), ...start });
}

function said({ userName, externalId, attributes }: UserInput) {
  return { userName, userNameKey: userNameKey(userName), externalId: externalId ?? null, attributes };
}

function saysSame({ userName, userNameKey, externalId, attributes }: ScimUserRow, input: UserInput): boolean {
  const known = { userName, userNameKey, externalId: externalId ?? null, attributes };
  return isDeepStrictEqual(known, said(input));
}

// The link of an invitation is for the address that it was mailed to.
function moveTo(tx: Transaction, member: MemberRow, { email }: UserInput): void {
  Object.assign(member, { email: email.text, emailKey: email.key, updatedAt: tx.now });
  if (member.state === "invited") Object.assign(member, { invitationDigest: null, invitationExpiresAt: tx.now });
}

async function assertFree(tx: Transaction, input: UserInput, own: string | undefined): Promise<void> {
  const { userName, externalId, email } = input;
  const names = { key: userNameKey(userName), emailKey: emailKeyOf(userName) };
  const named = await findMemberByUserName(tx, names);
  if (named !== undefined && named !== own) throw notUnique("another user has this userName");
  const external = externalId === undefined ? undefined : await findMemberByExternalId(tx, externalId);
  if (external !== undefined && external !== own) throw notUnique("another user has this externalId");
  const addressed = await findMemberByEmail(tx, email.key);
  if (addressed !== null && addressed.id !== own) throw notUnique("another user has this e-mail address");
}

async function requireView(tx: Transaction, id: string): Promise<ScimUserView> {
  const view = isUuid(id) ? await viewScimUser(tx, id) : undefined;
  if (view === undefined) throw notFound("user");
  return view;
}

async function requireMember(tx: Transaction, id: string): Promise<[MemberRow, ScimUserView]> {
  const view = await requireView(tx, id);
  const member = await findMember(tx, view.id);
  if (member === null) throw notFound("user");
  return [member, view];
}

// Which attributes a person has, not their values: the log of evidence is kept for years.
function auditOf(member: MemberRow, { userName, externalId, attributes }: UserInput): JsonObject {
  const resource = { user_name: userName, external_id: externalId ?? null, attributes: Object.keys(attributes) };
  return { ...auditView(member), resource };
}

function taken() {
  return notUnique("another user has this userName, externalId or e-mail address");
}
