// Stripe takes payments: whose customer an organization is, what is wanted of Stripe and not done yet, which of its
// events were heard of, and invoices that are Stripe's own.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: connect Stripe. */
export class ConnectStripe extends Migration {
  override up(): void {
    this.addSql(
      'alter table "subscription" add "customer_id" text null, add "provider_subscription_id" text null, add "grace_invoice" text null, add "readings" int not null default 0, add "read_at" timestamptz(3) null',
    );
    this.addSql('alter table "subscription" add constraint "subscription_customer" unique ("customer_id")');
    this.addSql('alter table "checkout" add "session_id" text null');
    this.addSql('alter table "invoice" add "provider_id" text null, add "hosted_url" text null');
    this.addSql('alter table "invoice" alter column "page_key" drop not null');
    this.addSql('alter table "invoice" add constraint "invoice_provider" unique ("org_id", "provider_id")');
    this.addSql(
      'create table "billing_intent" ("org_id" uuid not null, "id" uuid not null, "kind" text not null, "subscription_id" text not null, "plan" text null, "status" text not null, "key_version" smallint not null, "revision" int not null, "attempts" int not null, "error" text null, "due_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "billing_intent_due" on "billing_intent" ("status", "due_at")');
    this.addSql(
      'create table "provider_event" ("org_id" uuid not null, "id" text not null, "type" text not null, "received_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    for (const table of ["billing_intent", "provider_event"]) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
      this.addSql(`create policy "tenant" on "${table}" using (${own}) with check (${own})`);
    }
    this.addSql('create policy "lookup" on "billing_intent" for select to "policy_guard_lookup" using (true)');
  }
}
