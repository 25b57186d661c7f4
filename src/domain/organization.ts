// Organizations.

import type { Caller } from "../kit/context.ts";
import { validationFailed } from "../kit/error.ts";
import { newId } from "../kit/id.ts";
import type { Database, Transaction } from "../store/database.ts";
import {
  deleteOrganization,
  type Entitlements,
  findOrganization,
  lookUpEntitlements,
  OrganizationRow,
} from "../store/organization.ts";
import { enqueueJob } from "./job.ts";
import { lockTeamAs } from "./team-rule.ts";
import { tokensChannel } from "./token.ts";

/** Reads and changes the caller's organization. */
export class Organizations {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates an organization on the free plan. */
  create(input: { readonly name: string }): Promise<OrganizationRow> {
    const id = newId();
    return this.#database.systemTransaction(id, async (tx) => addOrganization(tx, input));
  }

  /** What an organization has paid for. */
  async entitlements(orgId: string): Promise<Entitlements> {
    return lookUpEntitlements(this.#database, orgId);
  }

  /** The caller's organization. */
  get(caller: Caller): Promise<OrganizationRow> {
    return this.#database.read(caller.orgId, findOrganization);
  }

  /** Changes what is given. */
  update(caller: Caller, change: { readonly name?: string }): Promise<OrganizationRow> {
    return this.#database.transaction(caller, async (tx) => {
      const organization = await findOrganization(tx);
      const before = { name: organization.name };
      if (change.name !== undefined) organization.name = change.name;
      organization.updatedAt = tx.now;
      tx.changed({ resource: `organization/${organization.id}`, before, after: { name: organization.name } });
      return organization;
    });
  }

  /**
   * Deletes the organization with all that belongs to it, its audit log included. What is too large for one transaction, traces
   * above all, is out of everybody's reach at once and removed by a job.
   */
  delete(caller: Caller, { confirm }: { readonly confirm: string }): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      await lockTeamAs(tx, caller, "owner");
      const { name } = await findOrganization(tx);
      if (confirm !== name)
        throw validationFailed([{ field: "confirm", message: "has to be the organization's name" }]);
      await deleteOrganization(tx);
      // Connected runtimes find their tokens gone.
      await tx.notify(tokensChannel, {});
      // The audit log goes with the organization: the worker's own log keeps who ended it.
      const { credential, audit } = caller;
      const by = `${credential.label} (${credential.id}) from ${audit.address} by request ${audit.requestId}`;
      await enqueueJob(tx, "purge-organization", { org_id: tx.orgId, by });
    });
  }
}

/** Adds the transaction's organization, on the free plan. */
export function addOrganization(tx: Transaction, { name }: { readonly name: string }): OrganizationRow {
  tx.changed({ resource: `organization/${tx.orgId}`, before: null, after: { name } });
  return tx.em.create(OrganizationRow, {
    id: tx.orgId,
    name,
    plan: "free",
    billingBlocked: false,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
}
