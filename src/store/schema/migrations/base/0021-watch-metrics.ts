// Alert rules on the counts of minutes, the groups of them that are not quiet, and their episodes.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: watch metrics. */
export class WatchMetrics extends Migration {
  override up(): void {
    this.addSql(
      `create table "alert_rule" ("org_id" uuid not null, "id" uuid not null, "name" text not null, "metric" text not null, "filter" jsonb not null, "group_by" text null, "window_minutes" int not null, "operator" text not null, "threshold" double precision not null, "recovery_threshold" double precision null, "for_minutes" int not null, "keep_firing_minutes" int not null, "min_samples" int not null, "no_data" text not null, "renotify_minutes" int null, "severity" text not null, "notify_webhooks" boolean not null, "notify_member_ids" jsonb not null, "is_enabled" boolean not null, "silenced_until" timestamptz(3) null, "state" text not null, "last_value" double precision null, "evaluated_until" timestamptz(3) not null, "is_evaluated" boolean not null, "last_mailed_at" timestamptz(3) null, "revision" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))`,
    );
    this.addSql(
      `create table "alert_group" ("org_id" uuid not null, "rule_id" uuid not null, "group_key" text not null, "state" text not null, "since" timestamptz(3) not null, "alert_id" uuid null, primary key ("org_id", "rule_id", "group_key"))`,
    );
    this.addSql(
      `create table "alert" ("org_id" uuid not null, "id" uuid not null, "rule_id" uuid not null, "rule_name" text not null, "metric" text not null, "group_key" text not null, "severity" text not null, "threshold" double precision not null, "peak_value" double precision null, "fired_at" timestamptz(3) not null, "resolved_at" timestamptz(3) null, "notified_at" timestamptz(3) null, "notifications" int not null, primary key ("org_id", "id"))`,
    );
    this.addSql('create index "alert_newest" on "alert" ("org_id", "fired_at")');
    for (const table of ["alert_rule", "alert_group", "alert"]) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
      this.addSql(`create policy "tenant" on "${table}" using (${own}) with check (${own})`);
    }
    this.addSql('create policy "lookup" on "alert_rule" for select to "policy_guard_lookup" using (true)');
  }
}
