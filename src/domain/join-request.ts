// Asking to join an organization. Whoever asks learns nothing: not whether the organization exists, not whether they are a member.

import type { AccountCaller, Caller } from "../kit/context.ts";
import { notFound } from "../kit/error.ts";
import { isUuid, newId } from "../kit/id.ts";
import type { Page } from "../kit/page.ts";
import { findAccount } from "../store/account.ts";
import type { Database, Transaction } from "../store/database.ts";
import {
  insertJoinRequest,
  type JoinRequestRow,
  type JoinRequestState,
  listJoinRequests,
  lockJoinRequest,
} from "../store/join-request.ts";
import { findMemberByEmail, findMemberOfAccount, type MemberRole, MemberRow } from "../store/member.ts";
import { findOrganization } from "../store/organization.ts";
import { requireAccount } from "./account.ts";
import { admissionMail, type TransactionalMailer } from "./mail.ts";
import { auditView as memberView, tellAdded } from "./team.ts";
import { assertMayGive, conflict, lockTeamAs } from "./team-rule.ts";

/** Whoever was rejected may ask again after this. */
const rejectionMs = 7 * 24 * 3_600_000;

/** Takes join requests and decides them. */
export class JoinRequests {
  readonly #database: Database;
  readonly #mailer: TransactionalMailer | undefined;
  readonly #publicUrl: string;

  constructor(
    database: Database,
    parts: { readonly mailer: TransactionalMailer | undefined; readonly publicUrl: string },
  ) {
    this.#database = database;
    this.#mailer = parts.mailer;
    this.#publicUrl = parts.publicUrl;
  }

  /** Asks to join. Returns the same whatever comes of it. */
  async ask(caller: AccountCaller, orgId: string, message: string | undefined): Promise<void> {
    const { accountId } = caller;
    const account = await this.#database.readAccount(accountId, async (tx) => requireAccount(await findAccount(tx)));
    const { email, emailKey, name } = account;
    // An id that is none takes the same way as one that nobody has.
    await this.#database.systemTransaction(isUuid(orgId) ? orgId : newId(), (tx) =>
      insertJoinRequest(
        tx,
        { id: newId(), accountId, email, emailKey, name, message: message ?? null },
        { unlessRejectedSince: new Date(tx.now.getTime() - rejectionMs) },
      ),
    );
  }

  /** A page of the requests. */
  list(caller: Caller, page: Page, state: JoinRequestState | undefined): Promise<[JoinRequestRow[], number]> {
    return this.#database.read(caller.orgId, (tx) => listJoinRequests(tx, page, state));
  }

  /** Makes whoever asked a member. */
  approve(caller: Caller, id: string, role: MemberRole): Promise<JoinRequestRow> {
    return this.#database.transaction(caller, async (tx) => {
      assertMayGive(await lockTeamAs(tx, caller, "admin"), role);
      const request = await requirePending(tx, id);
      const member = await admit(tx, request, role);
      const { accountId, email } = request;
      await tellAdded(tx, { id: member.id, accountId, email, role });
      const { name: organization } = await findOrganization(tx);
      const facts = { organization, role, publicUrl: this.#publicUrl };
      await this.#mailer?.sendWithin(tx, admissionMail({ text: email, key: request.emailKey }, facts));
      return decide(tx, caller, request, { state: "approved", member: memberView(member) });
    });
  }

  /** Declines. */
  reject(caller: Caller, id: string): Promise<JoinRequestRow> {
    return this.#database.transaction(caller, async (tx) =>
      decide(tx, caller, await requirePending(tx, id), { state: "rejected" }),
    );
  }
}

async function requirePending(tx: Transaction, id: string): Promise<JoinRequestRow> {
  const request = await lockJoinRequest(tx, id);
  if (request === null) throw notFound("join request");
  if (request.state !== "pending") throw conflict(`this join request was ${request.state} already`);
  return request;
}

// Somebody who was invited as well becomes the member that the invitation was for.
async function admit(tx: Transaction, { accountId, email, emailKey }: JoinRequestRow, role: MemberRole) {
  const known = (await findMemberOfAccount(tx, accountId)) ?? (await findMemberByEmail(tx, emailKey));
  if (known !== null && known.state !== "invited") throw conflict("this account is a member already");
  const place = { accountId, role, state: "active" as const, updatedAt: tx.now };
  const ended = { invitationDigest: null, invitationExpiresAt: null };
  if (known !== null) return Object.assign(known, place, ended);
  const fresh = { orgId: tx.orgId, id: newId(), email, emailKey, createdAt: tx.now, invitedBy: null };
  return tx.em.create(MemberRow, { ...fresh, ...place, ...ended });
}

function decide(
  tx: Transaction,
  caller: Caller,
  request: JoinRequestRow,
  { state, member }: { readonly state: "approved" | "rejected"; readonly member?: ReturnType<typeof memberView> },
): JoinRequestRow {
  request.state = state;
  request.decidedAt = tx.now;
  request.decidedBy = caller.credential.label;
  const { id, email } = request;
  const after = { email, state, member: member ?? null };
  tx.changed({ resource: `join_request/${id}`, before: { email, state: "pending", member: null }, after });
  return request;
}
