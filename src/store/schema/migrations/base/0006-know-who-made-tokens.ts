// A token says who issued it and who rotated it, and whose the value before a rotation is. Until now one column held
// the person of the present value: for a token that was not rotated this is who issued it, for others it is not known
// any more.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: know who made tokens. */
export class KnowWhoMadeTokens extends Migration {
  override up(): void {
    this.addSql(
      'alter table "token" add "previous_account_id" uuid null, add "created_by_account_id" uuid null, add "created_by_token_id" uuid null, add "rotated_by" text null, add "rotated_by_token_id" uuid null',
    );
    // The owner of the table is held by its row policies too, as long as they are forced.
    this.addSql('alter table "token" no force row level security');
    this.addSql(
      'update "token" set "created_by_account_id" = "account_id" where "previous_digest" is null and "account_id" is not null',
    );
    // Whose the value before was is not known: whoever rotated stands for both, as until now.
    this.addSql(
      'update "token" set "previous_account_id" = "account_id" where "previous_digest" is not null and "account_id" is not null',
    );
    this.addSql('alter table "token" force row level security');
  }
}
