import { defineEntity, p } from "@mikro-orm/core";
import type { Transaction } from "./database.ts";

const schema = defineEntity({
  name: "Organization",
  tableName: "organization",
  rowLevelSecurity: "force",
  policies: [
    {
      name: "tenant",
      using: "id = nullif(current_setting('app.org_id', true), '')::uuid",
      check: "id = nullif(current_setting('app.org_id', true), '')::uuid",
    },
  ],
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    plan: p.text().$type<"free" | "growth" | "enterprise">().default("free"),
    billingBlocked: p.boolean().default(false),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A customer. Its id is the org_id of every tenant table. */
export class OrganizationRow extends schema.class {}
schema.setClass(OrganizationRow);

/** The transaction's organization. Throws when it is gone. */
export function findOrganization(tx: Transaction): Promise<OrganizationRow> {
  return tx.em.findOneOrFail(OrganizationRow, { id: tx.orgId });
}
