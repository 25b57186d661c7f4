// Counts by minute, hour and day, the text of traces in a table of its own, and facets in place of the rules of traces.
// The rules become facets here; texts and counts of traces that are there already follow by the job upgrade-traces,
// which finds them by `form` 0.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: count and seal. */
export class CountAndSeal extends Migration {
  override up(): void {
    this.addSql(
      'create table "stat_delta" ("org_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "environment" text not null, "created_at" timestamptz(3) not null, "tally" bytea not null, primary key ("org_id", "id"))',
    );
    this.addSql(
      'create table "stat_latency" ("org_id" uuid not null, "period" smallint not null, "start" timestamptz(0) not null, "project_id" uuid not null, "environment" text not null, "agent_key" text not null, "stage" smallint not null, "buckets" bytea not null, primary key ("org_id", "period", "start", "project_id", "environment", "agent_key", "stage")) partition by list ("period")',
    );
    this.addSql('create table "stat_latency_minute" partition of "stat_latency" for values in (1)');
    this.addSql('create table "stat_latency_hour" partition of "stat_latency" for values in (2)');
    this.addSql('create table "stat_latency_day" partition of "stat_latency" for values in (3)');
    this.addSql(
      'create table "stat_loss" ("org_id" uuid not null, "period" smallint not null, "start" timestamptz(0) not null, "project_id" uuid not null, "environment" text not null, "reason" text not null, "evaluations" bigint not null, primary key ("org_id", "period", "start", "project_id", "environment", "reason")) partition by list ("period")',
    );
    this.addSql('create table "stat_loss_minute" partition of "stat_loss" for values in (1)');
    this.addSql('create table "stat_loss_hour" partition of "stat_loss" for values in (2)');
    this.addSql('create table "stat_loss_day" partition of "stat_loss" for values in (3)');
    this.addSql(
      'create table "stat_outcome" ("org_id" uuid not null, "period" smallint not null, "start" timestamptz(0) not null, "project_id" uuid not null, "environment" text not null, "agent_key" text not null, "stage" smallint not null, "language" text not null, "outcome" smallint not null, "would_be_outcome" smallint not null, "evaluations" bigint not null, "unjudged" bigint not null, "fail_open" bigint not null, "exempted" bigint not null, "overage" bigint not null, primary key ("org_id", "period", "start", "project_id", "environment", "agent_key", "stage", "language", "outcome", "would_be_outcome")) partition by list ("period")',
    );
    this.addSql('create table "stat_outcome_minute" partition of "stat_outcome" for values in (1)');
    this.addSql('create table "stat_outcome_hour" partition of "stat_outcome" for values in (2)');
    this.addSql('create table "stat_outcome_day" partition of "stat_outcome" for values in (3)');
    this.addSql(
      'create table "stat_rule" ("org_id" uuid not null, "period" smallint not null, "start" timestamptz(0) not null, "project_id" uuid not null, "environment" text not null, "policy" text not null, "rule_id" text not null, "detector" text not null, "stage" smallint not null, "mode" smallint not null, "action" smallint not null, "traces" bigint not null, "detector_traces" bigint not null, "findings" bigint not null, "decided" bigint not null, primary key ("org_id", "period", "start", "project_id", "environment", "policy", "rule_id", "detector", "stage", "mode", "action")) partition by list ("period")',
    );
    this.addSql('create table "stat_rule_minute" partition of "stat_rule" for values in (1)');
    this.addSql('create table "stat_rule_hour" partition of "stat_rule" for values in (2)');
    this.addSql('create table "stat_rule_day" partition of "stat_rule" for values in (3)');
    this.addSql(
      'create table "stat_unjudged" ("org_id" uuid not null, "period" smallint not null, "start" timestamptz(0) not null, "project_id" uuid not null, "environment" text not null, "detector" text not null, "reason" text not null, "on_error" smallint not null, "traces" bigint not null, primary key ("org_id", "period", "start", "project_id", "environment", "detector", "reason", "on_error")) partition by list ("period")',
    );
    this.addSql('create table "stat_unjudged_minute" partition of "stat_unjudged" for values in (1)');
    this.addSql('create table "stat_unjudged_hour" partition of "stat_unjudged" for values in (2)');
    this.addSql('create table "stat_unjudged_day" partition of "stat_unjudged" for values in (3)');
    this.addSql(
      'create table "stat_version" ("org_id" uuid not null, "period" smallint not null, "start" timestamptz(0) not null, "project_id" uuid not null, "environment" text not null, "bundle_version" int not null, "outcome" smallint not null, "evaluations" bigint not null, primary key ("org_id", "period", "start", "project_id", "environment", "bundle_version", "outcome")) partition by list ("period")',
    );
    this.addSql('create table "stat_version_minute" partition of "stat_version" for values in (1)');
    this.addSql('create table "stat_version_hour" partition of "stat_version" for values in (2)');
    this.addSql('create table "stat_version_day" partition of "stat_version" for values in (3)');
    this.addSql(
      'create table "trace_facet" ("org_id" uuid not null, "id" uuid not null, "created_at" timestamptz(3) not null, "kind" smallint not null, "value" text not null, primary key ("org_id", "id", "created_at", "kind", "value")) partition by range ("created_at")',
    );
    this.addSql(
      'create index "trace_facet_newest" on "trace_facet" ("org_id", "kind", "value", "created_at" DESC, "id")',
    );
    this.addSql('create table "trace_facet_pdefault" partition of "trace_facet" default');
    this.addSql(
      'create table "trace_text" ("org_id" uuid not null, "id" uuid not null, "created_at" timestamptz(3) not null, "sealed" bytea not null, primary key ("org_id", "id", "created_at")) partition by range ("created_at")',
    );
    this.addSql('create table "trace_text_pdefault" partition of "trace_text" default');
    this.addSql(
      'create table "usage_day" ("org_id" uuid not null, "day" date not null, "project_id" uuid not null, "environment" text not null, "agent_key" text not null, "stage" smallint not null, "evaluations" bigint not null, "overage" bigint not null, primary key ("org_id", "day", "project_id", "environment", "agent_key", "stage"))',
    );
    // The owner of the tables is held by their row policies too, as long as they are forced.
    this.addSql('alter table "trace_rule" no force row level security');
    this.addSql(
      'insert into "trace_facet" ("org_id", "id", "created_at", "kind", "value") select "org_id", "id", "created_at", 1, "rule_id" from "trace_rule"',
    );
    this.addSql('drop table "trace_rule"');
    this.addSql('alter table "trace" add "form" smallint not null default 0');
    this.addSql(
      'create index "trace_user" on "trace" ("org_id", "user_id", "created_at" DESC, "id") where user_id is not null',
    );
    this.addSql('create index "trace_former" on "trace" ("org_id", "created_at" DESC, "id") where form = 0');
    this.addSql('alter table "stat_delta" enable row level security');
    this.addSql('alter table "stat_delta" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"stat_delta\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "stat_delta" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "stat_latency" enable row level security');
    this.addSql('alter table "stat_latency" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"stat_latency\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "stat_loss" enable row level security');
    this.addSql('alter table "stat_loss" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"stat_loss\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "stat_outcome" enable row level security');
    this.addSql('alter table "stat_outcome" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"stat_outcome\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "stat_rule" enable row level security');
    this.addSql('alter table "stat_rule" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"stat_rule\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "stat_unjudged" enable row level security');
    this.addSql('alter table "stat_unjudged" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"stat_unjudged\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "stat_version" enable row level security');
    this.addSql('alter table "stat_version" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"stat_version\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "trace_facet" enable row level security');
    this.addSql('alter table "trace_facet" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"trace_facet\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "trace_text" enable row level security');
    this.addSql('alter table "trace_text" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"trace_text\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "usage_day" enable row level security');
    this.addSql('alter table "usage_day" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"usage_day\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
  }
}
