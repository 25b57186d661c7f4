// The captured text of traces, sealed, in a table of its own: lists never read it, and erasing it is a delete.

import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";

const schema = defineEntity({
  name: "TraceText",
  tableName: "trace_text",
  ...tenantTable,
  partitionBy: {
    type: "range",
    expression: "createdAt",
    partitions: [{ name: "trace_text_pdefault", values: "default" }],
  },
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    createdAt: p.datetime(3).primary(),
    sealed: p.blob(),
  },
});

/** The text of one trace. */
export class TraceTextRow extends schema.class {}
schema.setClass(TraceTextRow);
