// A trace names the runtime that reported it. Traces that were stored before have null.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: name runtimes of traces. */
export class NameRuntimesOfTraces extends Migration {
  override up(): void {
    this.addSql('alter table "trace" add column "runtime_instance_id" uuid null');
  }
}
