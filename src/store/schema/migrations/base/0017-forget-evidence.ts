// Organizations may say how long their log of evidence is kept. What is older loses its leaf and keeps its hash, so the
// columns of a leaf may be null. Partitions of traces may be days, so the functions that make and drop them take other
// parameters.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: forget evidence. */
export class ForgetEvidence extends Migration {
  override up(): void {
    this.addSql('alter table "organization" add "evidence_days" int null');
    for (const column of ["leaf", "action", "resource"])
      this.addSql(`alter table "audit_entry" alter column "${column}" drop not null`);
    this.addSql("drop function if exists app.create_trace_partitions(integer)");
    this.addSql("drop function if exists app.drop_trace_partitions(integer)");
  }
}
