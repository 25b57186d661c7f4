// With which probability the random lane of the annotation queue takes a trace. Rates are set before their day begins,
// so that they do not depend on what they sample.

import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";

const schema = defineEntity({
  name: "AnnotationRate",
  tableName: "annotation_rate",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    /** Day of the traces, in UTC. */
    day: p.date().primary(),
    stratum: p.smallint().primary(),
    probability: p.double(),
  },
});

/** The rate of a project's day and stratum. */
export class AnnotationRateRow extends schema.class {}
schema.setClass(AnnotationRateRow);
