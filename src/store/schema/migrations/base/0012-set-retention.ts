// Organizations may keep traces and their text for fewer days than their plan does. Those that are there keep them as
// long as before.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: set retention. */
export class SetRetention extends Migration {
  override up(): void {
    this.addSql('alter table "organization" add "trace_days" int null, add "text_days" int null');
  }
}
