// What the operators of runtimes say about them. A runtime without labels, as all were before, has none.

import { Migration } from "@mikro-orm/migrations";

/** Brings the table to what the entity says: labels of runtimes. */
export class LabelRuntimes extends Migration {
  override up(): void {
    this.addSql(`alter table "runtime_instance" add column "labels" jsonb not null default '{}'`);
  }
}
