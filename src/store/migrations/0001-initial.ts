// The first schema, generated from the entities.

import { Migration } from "@mikro-orm/migrations";

/** Creates the tables, their indexes and their row-level policies. */
export class Initial extends Migration {
  override up(): void {
    this.addSql(
      'create table "agent" ("org_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "key" text not null, "name" text not null, "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "agent" add constraint "agent_key" unique ("org_id", "project_id", "key")');
    this.addSql(
      'create table "audit_entry" ("org_id" uuid not null, "seq" bigint not null, "leaf" text not null, "leaf_hash" bytea not null, "action" text not null, "actor" text not null, "resource" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "seq"))',
    );
    this.addSql('create table "audit_head" ("org_id" uuid not null, "size" bigint not null, primary key ("org_id"))');
    this.addSql(
      'create table "environment" ("org_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "name" text not null, "position" int not null, "is_protected" boolean not null, "capture" text not null, "latest_version" int not null default 0, "activation_seq" int not null default 0, "active_version" int null, "created_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "environment" add constraint "environment_name" unique ("org_id", "project_id", "name")');
    this.addSql(
      'create table "organization" ("id" uuid not null, "name" text not null, "plan" text not null default \'free\', "billing_blocked" boolean not null default false, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))',
    );
    this.addSql(
      'create table "project" ("org_id" uuid not null, "id" uuid not null, "name" text not null, "description" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "project" add constraint "project_name" unique ("org_id", "name")');
    this.addSql(
      'create table "token" ("org_id" uuid not null, "id" uuid not null, "kind" text not null, "name" text not null, "project_id" uuid null, "environment_id" uuid null, "environment" text null, "digest" bytea not null, "prefix" text not null, "created_by" text not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "token_digest" on "token" ("digest")');
    this.addSql(
      'create unique index "token_runtime" on "token" ("org_id", "project_id", "environment_id") where kind = \'runtime\' and revoked_at is null',
    );
    this.addSql('alter table "agent" enable row level security');
    this.addSql('alter table "agent" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"agent\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "audit_entry" enable row level security');
    this.addSql('alter table "audit_entry" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"audit_entry\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "audit_head" enable row level security');
    this.addSql('alter table "audit_head" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"audit_head\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "environment" enable row level security');
    this.addSql('alter table "environment" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"environment\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "organization" enable row level security');
    this.addSql('alter table "organization" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"organization\" using (id = nullif(current_setting('app.org_id', true), '')::uuid) with check (id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "project" enable row level security');
    this.addSql('alter table "project" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"project\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "token" enable row level security');
    this.addSql('alter table "token" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"token\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "token" for select to "policy_guard_lookup" using (true)');
  }
}
