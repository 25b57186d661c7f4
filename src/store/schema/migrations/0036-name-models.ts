// Runtimes run models themselves: a backend may demand the bytes of one, and a runtime says which it has. Backends that
// are there demand none, and runtimes that are there say it with their next status.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: models and their digests. */
export class NameModels extends Migration {
  override up(): void {
    this.addSql('alter table "detector_backend" add column "digest" text null');
    this.addSql(`alter table "runtime_instance" add column "models" jsonb not null default '[]'`);
  }
}
