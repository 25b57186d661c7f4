// The installation knows which history of which cluster it works on, so that a restore is noticed. What stands there
// first is written with the grants, once the functions are there.

import { Migration } from "@mikro-orm/migrations";
import { lookupRole } from "../../core/roles.ts";

/** Brings the tables to what the entities say: know the database. */
export class KnowTheDatabase extends Migration {
  override up(): void {
    this.addSql('alter table "installation" add "database_identity" text null');
    this.addSql(
      `create policy "accept" on "installation" for update to "${lookupRole}" using (true) with check (true)`,
    );
  }
}
