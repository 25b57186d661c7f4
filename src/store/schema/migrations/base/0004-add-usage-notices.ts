// Organizations are told once how much of a month they have used. The worker compares the use of all of them with their
// plans.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: add usage notices. */
export class AddUsageNotices extends Migration {
  override up(): void {
    this.addSql(
      'create table "usage_notice" ("org_id" uuid not null, "month" date not null, "evaluations_limit" bigint not null, "percent" smallint not null, "value" bigint not null, "created_at" timestamptz(3) not null, primary key ("org_id", "month", "evaluations_limit", "percent"))',
    );
    this.addSql('create policy "lookup" on "quota_lease" for select to "policy_guard_lookup" using (true)');
    this.addSql('create policy "lookup" on "usage_month" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "usage_notice" enable row level security');
    this.addSql('alter table "usage_notice" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"usage_notice\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
  }
}
