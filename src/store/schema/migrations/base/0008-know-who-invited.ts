// An invitation says which person stands for it, so that it ends with what else they made. Until now only a label was
// kept: an e-mail address, or the prefix of a token. Where it leads to one person still, that person stands for the
// invitation.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: know who invited. */
export class KnowWhoInvited extends Migration {
  override up(): void {
    this.addSql('alter table "member" add "invited_by_account_id" uuid null');
    // The owner of the tables is held by their row policies too, as long as they are forced.
    for (const table of ["member", "token"]) this.addSql(`alter table "${table}" no force row level security`);
    this.addSql(
      `update "member" i set "invited_by_account_id" = m."account_id" from "member" m
       where i."state" = 'invited' and m."org_id" = i."org_id" and m."state" = 'active' and m."email" = i."invited_by"`,
    );
    this.addSql(
      `update "member" i set "invited_by_account_id" = t."account_id"
       from (select "org_id", "prefix", (array_agg(distinct "account_id"))[1] as "account_id" from "token"
         where "account_id" is not null group by "org_id", "prefix" having count(distinct "account_id") = 1) t
       where i."state" = 'invited' and t."org_id" = i."org_id" and t."prefix" = i."invited_by"`,
    );
    for (const table of ["member", "token"]) this.addSql(`alter table "${table}" force row level security`);
  }
}
