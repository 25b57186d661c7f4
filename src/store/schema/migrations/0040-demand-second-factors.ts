// Organizations that demand a second factor of everybody who signs in with a password.

import { Migration } from "@mikro-orm/migrations";

/** Brings the table to what the entity says: nobody demands it yet. */
export class DemandSecondFactors extends Migration {
  override up(): void {
    this.addSql('alter table "organization" add column "second_factor_required" boolean not null default false');
  }
}
