// Directories manage members by SCIM: tokens of theirs with the authority of whoever issued them, what they say about
// members, their groups, and the role of members who are in none.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: let directories in. */
export class LetDirectoriesIn extends Migration {
  override up(): void {
    this.addSql('alter table "token" add "authority" text null');
    this.addSql(
      `create table "scim_user" ("org_id" uuid not null, "member_id" uuid not null, "user_name" text not null, "user_name_key" text not null, "external_id" text null, "attributes" jsonb not null, "made_account" boolean not null default false, "version" int not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "member_id"))`,
    );
    this.addSql('alter table "scim_user" add constraint "scim_user_name" unique ("org_id", "user_name_key")');
    this.addSql('alter table "scim_user" add constraint "scim_user_external" unique ("org_id", "external_id")');
    this.addSql(
      `create table "scim_group" ("org_id" uuid not null, "id" uuid not null, "role" text not null, "display_name" text not null, "name_key" text not null, "external_id" text null, "is_built_in" boolean not null, "version" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))`,
    );
    this.addSql('alter table "scim_group" add constraint "scim_group_name" unique ("org_id", "name_key")');
    this.addSql(
      `create table "scim_group_member" ("org_id" uuid not null, "group_id" uuid not null, "member_id" uuid not null, primary key ("org_id", "group_id", "member_id"))`,
    );
    this.addSql('create index "scim_group_member_of" on "scim_group_member" ("org_id", "member_id")');
    this.addSql(
      `create table "scim_setting" ("org_id" uuid not null, "default_role" text not null, "updated_at" timestamptz(3) not null, primary key ("org_id"))`,
    );
    for (const table of ["scim_user", "scim_group", "scim_group_member", "scim_setting"]) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
      this.addSql(`create policy "tenant" on "${table}" using (${own}) with check (${own})`);
    }
  }
}
