// The openings of the commitments in audit entries: the hashed values, in a table of their own, so that they can be
// erased while the entry and every proof about it stay unchanged (kit/evidence/leaf.ts).

import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";

const schema = defineEntity({
  name: "AuditOpening",
  tableName: "audit_opening",
  ...tenantTable,
  indexes: [{ name: "audit_opening_actor", properties: ["orgId", "actor", "seq"] }],
  properties: {
    orgId: p.uuid().primary(),
    seq: p.bigint("number").primary(),
    // Value and salt of each are both null when erased.
    actor: p.text().nullable(),
    actorSalt: p.blob().nullable(),
    address: p.text().nullable(),
    addressSalt: p.blob().nullable(),
    /** Canonical JSON, as it was hashed. */
    before: p.text().nullable(),
    beforeSalt: p.blob().nullable(),
    after: p.text().nullable(),
    afterSalt: p.blob().nullable(),
  },
});

/** The openings of one entry. */
export class AuditOpeningRow extends schema.class {}
schema.setClass(AuditOpeningRow);
