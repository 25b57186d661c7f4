// A runtime says to which detector backends it sends nothing; those that are there say it with their next status. An
// organization may have a limit of its own; those that are there have that of their plan.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: refused backends and limits. */
export class RefusedBackendsAndLimits extends Migration {
  override up(): void {
    this.addSql(`alter table "runtime_instance" add "refused_backends" text[] not null default '{}'`);
    this.addSql('alter table "organization" add "evaluations_limit" bigint null');
  }
}
