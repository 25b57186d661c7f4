// Annotations of traces, what they come to, and the queue of traces to annotate.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

const tables = ["annotation", "annotation_verdict", "annotation_setting", "annotation_rate", "annotation_queue"];

/** Brings the tables to what the entities say: annotate traces. */
export class AnnotateTraces extends Migration {
  override up(): void {
    this.addSql(
      'create table "annotation" ("org_id" uuid not null, "id" uuid not null, "revision" int not null, "is_current" boolean not null, "trace_id" uuid not null, "trace_created_at" timestamptz(3) not null, "project_id" uuid not null, "environment" text not null, "policy" text not null, "rule_id" text not null, "mark" smallint not null, "expected_outcome" smallint null, "expected_labels" text[] not null, "spans" text not null, "note" text null, "annotator_kind" smallint not null, "annotator_id" text not null, "annotator_label" text not null, "source" smallint not null, "is_final" boolean not null, "created_at" timestamptz(3) not null, "withdrawn_at" timestamptz(3) null, primary key ("org_id", "id", "revision"))',
    );
    this.addSql('create index "annotation_trace" on "annotation" ("org_id", "trace_id")');
    this.addSql(
      'create index "annotation_newest" on "annotation" ("org_id", "created_at" DESC, "id") where is_current and withdrawn_at is null',
    );
    this.addSql(
      'create index "annotation_of_traces" on "annotation" ("org_id", "project_id", "trace_created_at") where is_current and withdrawn_at is null',
    );
    this.addSql(
      'create unique index "annotation_annotator" on "annotation" ("org_id", "trace_id", "policy", "rule_id", "annotator_kind", "annotator_id") where is_current',
    );
    this.addSql(
      'create table "annotation_queue" ("org_id" uuid not null, "trace_id" uuid not null, "lane" smallint not null, "seat" smallint not null, "project_id" uuid not null, "environment" text not null, "trace_created_at" timestamptz(3) not null, "stratum" smallint not null, "probability" double precision null, "rank" double precision not null, "reason" text not null, "fingerprint" text null, "created_at" timestamptz(3) not null, "leased_by" text null, "leased_until" timestamptz(3) null, "done_at" timestamptz(3) null, "skipped_by" text[] not null default \'{}\', primary key ("org_id", "trace_id", "lane", "seat"))',
    );
    this.addSql(
      'create index "annotation_queue_next" on "annotation_queue" ("org_id", "project_id", "lane", "rank") where done_at is null',
    );
    this.addSql(
      'create index "annotation_queue_leases" on "annotation_queue" ("org_id", "leased_by") where leased_by is not null',
    );
    this.addSql(
      'create table "annotation_rate" ("org_id" uuid not null, "project_id" uuid not null, "day" date not null, "stratum" smallint not null, "probability" double precision not null, primary key ("org_id", "project_id", "day", "stratum"))',
    );
    this.addSql(
      'create table "annotation_setting" ("org_id" uuid not null, "project_id" uuid not null, "quorum" int not null, "target_per_day" int not null default 50, "informative_per_day" int not null default 20, primary key ("org_id", "project_id"))',
    );
    this.addSql(
      'create table "annotation_verdict" ("org_id" uuid not null, "trace_id" uuid not null, "policy" text not null, "rule_id" text not null, "project_id" uuid not null, "environment" text not null, "trace_created_at" timestamptz(3) not null, "has_finding" boolean not null, "marks" int not null, "resolved_mark" smallint null, "is_disputed" boolean not null, "probability" double precision null, primary key ("org_id", "trace_id", "policy", "rule_id"))',
    );
    this.addSql(
      'create index "annotation_verdict_traces" on "annotation_verdict" ("org_id", "project_id", "trace_created_at")',
    );
    for (const table of tables) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
      this.addSql(`create policy "tenant" on "${table}" using (${own}) with check (${own})`);
    }
  }
}
