// What organizations buy and owe. Generated from the entities; all tables are new.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: bill organizations. */
export class BillOrganizations extends Migration {
  override up(): void {
    this.addSql(
      'create table "billing_notice" ("org_id" uuid not null, "id" uuid not null, "kind" text not null, "about" text not null, "project_id" uuid null, "value" bigint not null, "created_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "billing_notice" add constraint "billing_notice_once" unique ("org_id", "kind", "about")');
    this.addSql(
      'create table "checkout" ("org_id" uuid not null, "id" uuid not null, "kind" text not null, "provider" text not null, "plan" text null, "status" text not null, "key_digest" bytea not null, "wrong_keys" smallint not null, "success_url" text null, "cancel_url" text null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql(
      'create table "invoice" ("org_id" uuid not null, "id" uuid not null, "number" text not null, "status" text not null, "currency" text not null, "subtotal_minor" int not null, "total_minor" int not null, "amount_due_minor" int not null, "period_start" timestamptz(3) not null, "period_end" timestamptz(3) not null, "issued_at" timestamptz(3) null, "due_at" timestamptz(3) null, "paid_at" timestamptz(3) null, "provider" text not null, "page_key" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "invoice" add constraint "invoice_number" unique ("org_id", "number")');
    this.addSql(
      'create table "invoice_line" ("org_id" uuid not null, "invoice_id" uuid not null, "position" smallint not null, "description" text not null, "quantity" int not null, "amount_minor" int not null, "is_proration" boolean not null, primary key ("org_id", "invoice_id", "position"))',
    );
    this.addSql(
      'create table "subscription" ("org_id" uuid not null, "provider" text not null, "status" text not null, "plan" text not null, "period_start" timestamptz(3) null, "period_end" timestamptz(3) null, "anchor_day" smallint not null, "cancel_at_period_end" boolean not null, "pending_plan" text null, "grace_ends_at" timestamptz(3) null, "payment_fails" boolean not null, "due_at" timestamptz(3) null, "revision" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id"))',
    );
    this.addSql('create index "subscription_due" on "subscription" ("due_at")');
    this.addSql('alter table "billing_notice" enable row level security');
    this.addSql('alter table "billing_notice" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"billing_notice\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "checkout" enable row level security');
    this.addSql('alter table "checkout" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"checkout\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "checkout" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "invoice" enable row level security');
    this.addSql('alter table "invoice" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"invoice\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "invoice" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "invoice_line" enable row level security');
    this.addSql('alter table "invoice_line" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"invoice_line\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "subscription" enable row level security');
    this.addSql('alter table "subscription" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"subscription\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "subscription" for select to "policy_guard_lookup" using (true)');
  }
}
