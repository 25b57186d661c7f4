// The organizations of a person.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { AccountCaller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { lockAccount } from "../../store/identity/account.ts";
import { countOwned } from "../../store/identity/member.ts";
import { findOrganization, lookUpOrganizationsOf, type OrganizationView } from "../../store/tenancy/organization.ts";
import type { Plan } from "../billing/plan.ts";
import { addOwnOrganization, requireAccount } from "./account.ts";

/** Organizations that one account may own. */
export const ownOrganizationLimit = 20;

/** Makes and lists the organizations of a signed-in account. */
export class OwnOrganizations {
  readonly #database: Database;

  readonly #defaultPlan: Plan;

  /** `defaultPlan` is the plan of new organizations. */
  constructor(database: Database, { defaultPlan }: { readonly defaultPlan: Plan }) {
    this.#database = database;
    this.#defaultPlan = defaultPlan;
  }

  /** Makes an organization that the caller owns. */
  async create(caller: AccountCaller, { name }: { readonly name: string }): Promise<OrganizationView> {
    const orgId = await this.#database.accountTransaction(caller.accountId, async (tx) => {
      // The lock keeps racing calls from passing the limit together.
      const account = requireAccount(await lockAccount(tx));
      if ((await countOwned(tx)) >= ownOrganizationLimit) throw limitReached();
      return addOwnOrganization(tx, account, { name, plan: this.#defaultPlan, audit: caller.audit });
    });
    return this.#database.read(orgId, findOrganization);
  }

  /** A page of the organizations that the caller is a member of, by name. */
  async list({ accountId }: AccountCaller, { limit, offset }: Page): Promise<[OrganizationView[], number]> {
    const all = await lookUpOrganizationsOf(this.#database, accountId);
    return [all.slice(offset, offset + limit), all.length];
  }
}

function limitReached(): Fault {
  return new Fault(Reason.LIMIT_REACHED, `an account owns at most ${ownOrganizationLimit} organizations`, {
    extra: { limit: ownOrganizationLimit },
  });
}
