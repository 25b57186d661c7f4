// Requests to join an organization. The answer tells the caller nothing: neither whether the organization exists nor
// whether they are a member.

import { notFound } from "../../kit/fault/fault.ts";
import { isUuid, newId } from "../../kit/process/id.ts";
import type { AccountCaller, Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findAccount } from "../../store/identity/account.ts";
import {
  insertJoinRequest,
  type JoinRequestRow,
  type JoinRequestState,
  type JoinRequestView,
  listJoinRequests,
  lockJoinRequest,
  viewJoinRequests,
} from "../../store/identity/join-request.ts";
import {
  deleteExpiredInvitation,
  findMemberByEmail,
  findMemberOfAccount,
  type MemberRole,
  type MemberRow,
} from "../../store/identity/member.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { admissionMail, type TransactionalMailer } from "../mail/mail.ts";
import { assertMayGive, conflict, lockTeamAs } from "../tenancy/team-rule.ts";
import { addMember, requireAccount } from "./account.ts";
import { auditView as memberView, tellAdded } from "./team.ts";

/** Time after which a rejected person may ask again. */
const rejectionMs = 7 * 24 * 3_600_000;

/** Receives join requests and decides them. */
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

  /** Asks to join. Returns the same whatever the result. */
  async ask(caller: AccountCaller, orgId: string, message: string | undefined): Promise<void> {
    const { accountId } = caller;
    const account = await this.#database.readAccount(accountId, async (tx) => requireAccount(await findAccount(tx)));
    const { email, emailKey, name } = account;
    // Text that is not an id is treated like an unknown id.
    await this.#database.systemTransaction(isUuid(orgId) ? orgId : newId(), (tx) =>
      insertJoinRequest(
        tx,
        { id: newId(), accountId, email, emailKey, name, message: message ?? null },
        { unlessRejectedSince: new Date(tx.now.getTime() - rejectionMs) },
      ),
    );
  }

  /** A page of the requests. */
  list(caller: Caller, page: Page, state: JoinRequestState | undefined): Promise<[JoinRequestView[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const [rows, total] = await listJoinRequests(tx, page, state);
      return [await viewJoinRequests(tx, rows), total];
    });
  }

  /** Makes the person who asked a member. */
  approve(caller: Caller, id: string, role: MemberRole): Promise<JoinRequestView> {
    return this.#database.transaction(caller, async (tx) => {
      assertMayGive(await lockTeamAs(tx, caller, "admin"), role);
      const request = await requirePending(tx, id);
      const member = await admit(tx, request, role);
      const { accountId, email } = request;
      await tellAdded(tx, { id: member.id, accountId, email, role });
      const { name: organization } = await findOrganization(tx);
      const facts = { organization, role, publicUrl: this.#publicUrl };
      await this.#mailer?.sendWithin(tx, admissionMail({ text: email, key: request.emailKey }, facts));
      return viewed(tx, decide(tx, caller, request, { state: "approved", member: memberView(member) }));
    });
  }

  /** Declines. */
  reject(caller: Caller, id: string): Promise<JoinRequestView> {
    return this.#database.transaction(caller, async (tx) =>
      viewed(tx, decide(tx, caller, await requirePending(tx, id), { state: "rejected" })),
    );
  }
}

async function requirePending(tx: Transaction, id: string): Promise<JoinRequestRow> {
  const request = await lockJoinRequest(tx, id);
  if (request === null) throw notFound("join request");
  if (request.state !== "pending") throw conflict(`this join request was already ${request.state}`);
  return request;
}

async function viewed(tx: Transaction, row: JoinRequestRow): Promise<JoinRequestView> {
  const [view] = await viewJoinRequests(tx, [row]);
  if (view === undefined) throw new Error("a view for each row");
  return view;
}

// An invitation is for the person who gets its link. Registering the same address proves nothing, so the invitation
// stays.
async function admit(tx: Transaction, request: JoinRequestRow, role: MemberRole): Promise<MemberRow> {
  const { accountId: id, email, emailKey } = request;
  await deleteExpiredInvitation(tx, emailKey);
  const known = (await findMemberOfAccount(tx, id)) ?? (await findMemberByEmail(tx, emailKey));
  if (known?.state === "invited") {
    throw conflict(
      "this address has an open invitation, and its owner can join with the link; to approve the request instead, withdraw the invitation first",
    );
  }
  if (known !== null) throw conflict("this account is already a member");
  return addMember(tx, { id, email, emailKey }, role);
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
