// The log of evidence becomes a tree with signed checkpoints. Every leaf has had form 2 since 0005.

import { Migration } from "@mikro-orm/migrations";
import { lookupRole } from "../../../core/roles.ts";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: sign checkpoints. */
export class SignCheckpoints extends Migration {
  override up(): void {
    this.addSql('alter table "signing_key" add "use" text not null default \'bundle\'');
    this.addSql('create table "installation" ("id" uuid not null, primary key ("id"))');
    this.addSql('insert into "installation" ("id") values (gen_random_uuid())');
    this.addSql(
      'create table "audit_log" ("org_id" uuid not null, "origin" text not null, "tree_size" bigint not null, "signed_size" bigint not null, "checked_at" timestamptz(3) null, primary key ("org_id"))',
    );
    this.addSql(
      'create table "audit_tile" ("org_id" uuid not null, "level" int not null, "n" int not null, "hashes" bytea not null, primary key ("org_id", "level", "n"))',
    );
    this.addSql(
      'create table "audit_checkpoint" ("org_id" uuid not null, "size" bigint not null, "root" bytea not null, "note" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "size"))',
    );
    for (const table of ["installation", "audit_log", "audit_tile", "audit_checkpoint"]) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
    }
    for (const table of ["audit_log", "audit_tile", "audit_checkpoint"])
      this.addSql(`create policy "tenant" on "${table}" using (${own}) with check (${own})`);
    for (const table of ["installation", "audit_head", "audit_log"])
      this.addSql(`create policy "lookup" on "${table}" for select to "${lookupRole}" using (true)`);
  }
}
