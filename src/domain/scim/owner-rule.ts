// What a directory must not do: change anything about owners, unless an owner has issued its token. The owners get a
// mail about each try, at most one an hour.

import { Fault, insufficientScope } from "../../kit/fault/fault.ts";
import type { Database } from "../../store/connection/database.ts";
import { countHit } from "../../store/identity/address-limit.ts";
import type { MemberRole } from "../../store/identity/member.ts";
import { mailAdmins, type ServiceAlert } from "../alert/alert.ts";
import { directoryRefusedMail, type TransactionalMailer } from "../mail/mail.ts";
import type { Actor } from "../tenancy/team-rule.ts";

const allowance = { aMinute: 1, anHour: 1 };

/** A change about an owner that the token's authority does not allow. */
class OwnerProtected extends Error {
  readonly person: string;

  constructor(person: string) {
    super("the directory's token has the authority of an admin");
    this.person = person;
  }
}

/** Throws unless the actor may change something about a member who has, or gets, one of these roles. */
export function assertMayTouch(actor: Actor, person: string, roles: readonly MemberRole[]): void {
  if (actor.role === "owner" || !roles.includes("owner")) return;
  const { reason, message } = insufficientScope(
    `${person} is an owner, or would become one: an owner has to issue the directory's token for such a change`,
  );
  throw new Fault(reason, message, { cause: new OwnerProtected(person) });
}

/** Runs a change by a directory; owners, and the address for security, are told of a refusal because of an owner. */
export async function tellingOwners<T>(
  database: Database,
  { orgId, mailer }: { readonly orgId: string; readonly mailer: TransactionalMailer | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && error.cause instanceof OwnerProtected && mailer !== undefined) {
      await tellOwners(database, { orgId, mailer, person: error.cause.person });
    }
    throw error;
  }
}

async function tellOwners(
  database: Database,
  { orgId, mailer, person }: { readonly orgId: string; readonly mailer: TransactionalMailer; readonly person: string },
): Promise<void> {
  await database.systemTransaction(orgId, async (tx) => {
    if ((await countHit(database, `scim-owner:${orgId}`, tx.now, allowance)) !== undefined) return;
    const mail: ServiceAlert["mail"] = (email, organization) => directoryRefusedMail(email, { organization, person });
    await mailAdmins(tx, mailer, mail, { onlyOwners: true, besides: "securityEmail" });
  });
}
