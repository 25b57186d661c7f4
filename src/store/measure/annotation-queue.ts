// The queue of traces to annotate.

import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";

const schema = defineEntity({
  name: "AnnotationQueue",
  tableName: "annotation_queue",
  ...tenantTable,
  indexes: [
    { name: "annotation_queue_next", properties: ["orgId", "projectId", "lane", "rank"], where: "done_at is null" },
    { name: "annotation_queue_leases", properties: ["orgId", "leasedBy"], where: "leased_by is not null" },
  ],
  properties: {
    orgId: p.uuid().primary(),
    traceId: p.uuid().primary(),
    lane: p.smallint().primary(),
    /** 1, or 2 for the second person who annotates the same trace. */
    seat: p.smallint().primary(),
    projectId: p.uuid(),
    environment: p.text(),
    traceCreatedAt: p.datetime(3),
    stratum: p.smallint(),
    /** With which probability the random lane chose it; null in the informative one. */
    probability: p.double().nullable(),
    /** Its place in the lane: the smallest is given out first. */
    rank: p.double(),
    /** Why the informative lane has it; empty in the random one. */
    reason: p.text(),
    /** Fingerprint of what was found; null where that is not the reason. */
    fingerprint: p.text().nullable(),
    createdAt: p.datetime(3),
    /** Who works on it, as "<kind>/<id>" of an annotator; null when nobody does. */
    leasedBy: p.text().nullable(),
    leasedUntil: p.datetime(3).nullable(),
    doneAt: p.datetime(3).nullable(),
    /** Those who do not want to judge it. */
    skippedBy: p.array().columnType("text[]").defaultRaw("'{}'"),
  },
});

/** One place in the queue. */
export class AnnotationQueueRow extends schema.class {}
schema.setClass(AnnotationQueueRow);
