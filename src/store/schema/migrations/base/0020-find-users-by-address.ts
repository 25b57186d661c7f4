// Filters of a directory find users by an address without reading all of them.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: find users by address. */
export class FindUsersByAddress extends Migration {
  override up(): void {
    this.addSql(
      'create table "scim_user_address" ("org_id" uuid not null, "address_key" text not null, "member_id" uuid not null, primary key ("org_id", "address_key", "member_id"))',
    );
    this.addSql('create index "scim_user_address_of" on "scim_user_address" ("org_id", "member_id")');
    // The owner of the tables sees no rows of a forced policy.
    this.addSql('alter table "scim_user" no force row level security');
    this.addSql(
      `insert into "scim_user_address" ("org_id", "address_key", "member_id")
       select distinct u."org_id", normalize(lower(normalize(e."item" ->> 'value', NFKC)), NFKC), u."member_id"
       from "scim_user" u, jsonb_array_elements(u."attributes" -> 'emails') e ("item")
       where length(e."item" ->> 'value') between 1 and 320`,
    );
    this.addSql('alter table "scim_user" force row level security');
    this.addSql('alter table "scim_user_address" enable row level security');
    this.addSql('alter table "scim_user_address" force row level security');
    this.addSql(`create policy "tenant" on "scim_user_address" using (${own}) with check (${own})`);
  }
}
